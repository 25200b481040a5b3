//! The Rust `mcp-proxy` of the registry, to be measured beside the gate: it asks nobody for a token, decides
//! nothing and records nothing, and says no more than what goes wrong.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::client::{Client, Place};
use crate::pass::PREFIX;
use crate::server::Era;
use crate::{Failure, Run};

/// How long it may take until it answers.
const STARTED_WITHIN: Duration = Duration::from_secs(10);

/// Where the server behind it is.
#[derive(Debug, Clone, Copy)]
enum BehindProxy<'a> {
    Site(&'a str),
    /// A process that it starts.
    Process(Era),
}

/// The other proxy in front of both kinds of server, as far as it can be had.
pub(crate) struct OtherProxies {
    pub(crate) over_http: Option<OtherProxy>,
    pub(crate) over_stdio: Option<OtherProxy>,
}

impl OtherProxies {
    pub(crate) fn start(run: &Run, era: Era, site: &str) -> Self {
        let start = |kind: &str, behind| {
            let folder = run.folder.path().join(format!("other-{kind}-{}", era.as_str()));
            let started = OtherProxy::start(run.beside.as_ref()?, &folder, behind, era);
            let say = |error: &Failure| {
                println!("SKIPPED: `mcp-proxy`, {kind}, {}: {error}\n", era.as_str());
            };
            started.inspect_err(say).ok()
        };
        Self {
            over_http: start("HTTP", BehindProxy::Site(site)),
            over_stdio: start("stdio", BehindProxy::Process(era)),
        }
    }
}

/// One that runs. It ends with this value, and what it started with it.
pub(crate) struct OtherProxy {
    child: Child,
    pub(crate) place: Place,
}

impl OtherProxy {
    /// Starts it, and waits until a client of this era sees the tool that echoes.
    fn start(
        program: &Path,
        folder: &Path,
        behind: BehindProxy<'_>,
        era: Era,
    ) -> Result<Self, Failure> {
        fs::create_dir_all(folder)?;
        // It does not say which port it got, so it is given one that was free a moment ago.
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let file = folder.join("proxy.toml");
        fs::write(&file, config(port, behind)?)?;
        let child = Command::new(program)
            .arg("--config")
            .arg(&file)
            .current_dir(folder)
            .env_clear()
            .env("HOME", folder)
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(folder.join("errors"))?)
            .spawn()?;
        let place = Place { url: format!("http://127.0.0.1:{port}"), token: None };
        let mut proxy = Self { child, place };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let began = Instant::now();
        loop {
            let Err(failed) = runtime.block_on(proxy.look(era)) else { return Ok(proxy) };
            if began.elapsed() > STARTED_WITHIN || proxy.child.try_wait()?.is_some() {
                let said = fs::read_to_string(folder.join("errors")).unwrap_or_default();
                return Err(format!("{failed} {said:.300}").into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    async fn look(&self, era: Era) -> Result<(), Failure> {
        let mut client = Client::open(&self.place, era).await?;
        client.list().await?.expect(200)?;
        let body = String::from_utf8_lossy(client.body());
        match body.contains(&format!("\"{PREFIX}echo\"")) {
            true => Ok(()),
            false => Err(format!("no echo in the list: {body:.300}").into()),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

fn config(port: u16, behind: BehindProxy<'_>) -> Result<String, Failure> {
    let backend = match behind {
        BehindProxy::Site(url) => format!("transport = \"http\"\nurl = \"{url}\"\n"),
        BehindProxy::Process(era) => {
            let program = std::env::current_exe()?;
            let era = era.as_str();
            format!(
                "transport = \"stdio\"\ncommand = {program:?}\nargs = [\"stdio\", \"{era}\", \
                 \"bench\", \"beside\"]\n"
            )
        }
    };
    Ok(format!(
        "[proxy]\nname = \"beside\"\nseparator = \"__\"\n\
         [proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n\
         [[backends]]\nname = \"bench\"\n{backend}\
         [observability]\nlog_level = \"error\"\n"
    ))
}

impl Drop for OtherProxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
