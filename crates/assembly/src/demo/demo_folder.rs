//! Where the demo happens: a folder for the owner alone, with a small project, a home and a state in it.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Everything is there; one tool that writes is named, and asks each time.
const CONFIG: &str = r#"version = 1

[limits]
result_bytes = 4096                # so that a long file is too long for one answer

[approval]
fastest_answer_ms = 0              # elsewhere an answer that comes at once is a machine's

[servers.repo]
transport = "builtin"

[servers.repo.tools.edit_file]     # writing is off unless an entry names the tool
approval = "prompt"

[servers.workflow]
transport = "builtin"
"#;

const PRICES: &str = "def total(prices):\n    # TODO: taxes\n    return sum(prices)\n";

#[derive(Debug)]
pub(super) struct DemoFolder {
    path: PathBuf,
}

impl DemoFolder {
    pub(super) fn create() -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolgate-demo-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // Fails where something is there already, whosoever it is.
        DirBuilder::new().mode(0o700).create(&path)?;
        let folder = Self { path: path.canonicalize()? };
        folder.fill()?;
        Ok(folder)
    }

    fn fill(&self) -> io::Result<()> {
        let (project, home) = (self.project(), self.home());
        let own = home.join(".config/toolgate");
        for folder in [project.join("src"), own.clone()] {
            fs::create_dir_all(folder)?;
        }
        fs::write(own.join("config.toml"), CONFIG)?;
        fs::write(project.join("README.md"), "# A small shop\n\nIt adds up prices.\n")?;
        fs::write(project.join("src/prices.py"), PRICES)?;
        fs::write(project.join(".env"), "SHOP_KEY=a-secret-that-no-agent-sees\n")?;
        let orders = (1..=2000).map(|number| format!("order {number}, {} items\n", number % 7));
        fs::write(project.join("orders.txt"), orders.collect::<String>())
    }

    pub(super) fn project(&self) -> PathBuf {
        self.path.join("shop")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.path.join("home")
    }

    pub(super) fn state(&self) -> PathBuf {
        self.path.join("state")
    }

    #[cfg(test)]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        // It lies among temporary files, so what could not be removed goes one day.
        let _ = fs::remove_dir_all(AsRef::<Path>::as_ref(&self.path));
    }
}
