"""A registry of npm and of Python packages on this machine, for tests: it serves what lies in a folder
now, and writes down who asked for what. `npm/<name>/<version>/...` is a package's folder,
`pypi/<name>/*.whl` are wheels."""
import base64, hashlib, io, json, pathlib, sys, tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

ROOT = pathlib.Path(sys.argv[1])


def packed(folder):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for file in sorted(p for p in folder.rglob("*") if p.is_file()):
            info = tarfile.TarInfo("package/" + str(file.relative_to(folder)))
            info.size, info.mode = file.stat().st_size, 0o755
            tar.addfile(info, file.open("rb"))
    # The time of packing stands in the header, and two packings are to be the same.
    return data.getvalue()[:4] + b"\0\0\0\0" + data.getvalue()[8:]


class Registry(BaseHTTPRequestHandler):
    def do_GET(self):
        with (ROOT / "asked").open("a") as asked:
            asked.write(f"{self.headers.get('authorization', '-')} {self.path}\n")
        path = unquote(self.path).strip("/")
        body = self.wheel(path) if path.startswith("simple") else self.npm(path)
        self.send_response(200 if body else 404)
        self.send_header("content-length", str(len(body or b"")))
        kind = "text/html" if path.startswith("simple") else "application/json"
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(body or b"")

    def npm(self, path):
        name, mark, file = path.partition("/-/")
        folder = ROOT / "npm" / name
        if mark:
            return packed(folder / file.removesuffix(".tgz"))
        if not folder.is_dir():
            return None
        versions = {}
        for version in sorted(folder.iterdir()):
            manifest = json.loads((version / "package.json").read_text())
            digest = base64.b64encode(hashlib.sha512(packed(version)).digest()).decode()
            url = f"http://{self.headers['host']}/{name}/-/{version.name}.tgz"
            manifest["dist"] = {"tarball": url, "integrity": f"sha512-{digest}"}
            if "postinstall" in manifest.get("scripts", {}):
                manifest["hasInstallScript"] = True
            versions[version.name] = manifest
        latest = sorted(versions)[-1]
        return json.dumps({"name": name, "dist-tags": {"latest": latest}, "versions": versions}).encode()

    def wheel(self, path):
        _, _, rest = path.partition("/")
        name, _, file = rest.partition("/")
        folder = ROOT / "pypi" / name
        if file:
            return (folder / file).read_bytes()
        if not folder.is_dir():
            return None
        link = lambda f: f'<a href="{f.name}#sha256={hashlib.sha256(f.read_bytes()).hexdigest()}">{f.name}</a>'
        return ("<html><body>" + "".join(map(link, sorted(folder.iterdir()))) + "</body></html>").encode()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
print(server.server_port, flush=True)
server.serve_forever()
