//! The two fronts of the workbench, for tests that take the same steps on both: the server, and the static site where its engine was built.

use crate::common::browser::Browser;
use crate::common::server::Served;
use crate::common::static_files::StaticFiles;
use crate::common::{Folder, add_map_questions, campaign, repository};
use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// The data that a workbench has beside what is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestData {
    /// Nothing.
    Shipped,
    /// The small game.
    Skirmish,
    /// The small game with questions that its map answers.
    Questions,
    /// The small game, played over several turns.
    Campaign,
}

impl TestData {
    const ALL: [TestData; 4] = [
        TestData::Shipped,
        TestData::Skirmish,
        TestData::Questions,
        TestData::Campaign,
    ];

    fn folder(self) -> Folder {
        match self {
            TestData::Shipped => Folder::empty(),
            TestData::Skirmish => Folder::skirmish(),
            TestData::Questions => {
                let folder = Folder::skirmish();
                add_map_questions(&folder);
                folder
            }
            TestData::Campaign => campaign(),
        }
    }
}

/// Steps in the browser: their name, the data that they need, whether the site can take them too, and what they do.
pub type Steps = (&'static str, TestData, bool, fn(&Desk));

/// The packed engine of the static site; none if it was not built from these sources, which is printed once.
pub fn engine() -> Option<PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(find_engine).clone()
}

fn find_engine() -> Option<PathBuf> {
    let folder = repository().join("target/web/wasm32-unknown-unknown/web");
    let written = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    let engines = ["casebook-web.wasm.gz", "casebook-web.wasm"].map(|name| folder.join(name));
    let engine = engines
        .iter()
        .filter_map(|path| Some((written(path)?, path.clone())))
        .max();
    let sources = ["src", "rules", "tables", "scenarios", "variants"]
        .map(|tree| newest(&repository().join(tree)));
    let why = match &engine {
        Some((built, _)) if sources.iter().all(|changed| changed <= built) => None,
        Some(_) => Some("is older than the sources"),
        None => Some("was not built"),
    };
    if let Some(why) = why {
        assert!(
            std::env::var_os("CASEBOOK_SITE").is_none(),
            "the engine of the static site {why}"
        );
        eprintln!(
            "skipped: tests of the static site, as its engine for browsers {why}; `.ci/site` builds it and runs them"
        );
        return None;
    }
    engine.map(|(_, path)| path)
}

/// Returns when a file below a folder was written last.
fn newest(folder: &Path) -> SystemTime {
    let entries = std::fs::read_dir(folder)
        .expect("the sources can be read")
        .flatten();
    let times = entries.map(|entry| match entry.path() {
        path if path.is_dir() => newest(&path),
        _ => entry
            .metadata()
            .and_then(|meta| meta.modified())
            .unwrap_or(SystemTime::UNIX_EPOCH),
    });
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Writes the static site of a folder below it.
pub fn write_site(folder: &Folder, engine: &Path, base: &str) -> PathBuf {
    folder
        .run(&[
            "site",
            "--out",
            "site",
            "--base",
            base,
            "--wasm",
            &engine.to_string_lossy(),
        ])
        .expect_success();
    folder.0.join("site")
}

enum Front {
    Server(Served),
    Site(Arc<StaticFiles>),
}

/// A browser before one of the fronts.
pub struct Desk {
    /// The browser.
    pub browser: Browser,
    /// The folder of the data; what the site saves is not in it.
    pub folder: Folder,
    /// The address of the workbench, without a slash at its end.
    pub base: String,
    front: Front,
}

impl Desk {
    /// Opens a page from which files may be saved.
    pub fn log_in(&self) {
        match &self.front {
            Front::Server(served) => self
                .browser
                .open(&format!("{}/?token={}", self.base, served.token)),
            Front::Site(_) => self.browser.open(&format!("{}/", self.base)),
        }
        self.browser.wait_until("document.querySelector('.games')");
    }

    /// Removes a file that was saved; a site keeps it in the browser, which ends with the step.
    pub fn remove(&self, path: &str) {
        if let Front::Server(_) = &self.front {
            std::fs::remove_file(self.folder.0.join(path)).expect("it was saved");
        }
    }

    /// Returns the text of a file that was saved.
    pub fn read(&self, path: &str) -> String {
        match &self.front {
            Front::Server(_) => self.folder.read(path),
            Front::Site(_) => {
                let files = self
                    .browser
                    .run_async("readFiles().then(done, (error) => done(String(error)))");
                files[path]
                    .as_str()
                    .unwrap_or_else(|| panic!("{path} is not among the files: {files:#}"))
                    .to_string()
            }
        }
    }
}

/// A site for each kind of data, and the browsers that no steps use.
struct Shared {
    engine: Option<PathBuf>,
    sites: [OnceLock<(Folder, Arc<StaticFiles>)>; 4],
    browsers: Mutex<Vec<Browser>>,
}

impl Shared {
    fn run(&self, (_, data, _, steps): Steps, on_site: bool) {
        let free_browser = self.browsers.lock().ok().and_then(|mut list| list.pop());
        let Some(browser) = free_browser.or_else(Browser::start) else {
            return;
        };
        let folder = data.folder();
        let (base, front) = if on_site {
            let index = TestData::ALL
                .iter()
                .position(|known| *known == data)
                .expect("all are listed");
            let (_, site) = self.sites[index].get_or_init(|| {
                let folder = data.folder();
                let site = write_site(&folder, self.engine.as_deref().expect("it was built"), "/");
                (folder, Arc::new(StaticFiles::start(site, "/")))
            });
            (
                site.base.trim_end_matches('/').to_string(),
                Front::Site(site.clone()),
            )
        } else {
            let served = Served::start(&folder.0);
            (served.base.clone(), Front::Server(served))
        };
        browser.resize_window(1280, false);
        if on_site {
            // Removes what earlier steps have left.
            browser.open(&format!("{base}/"));
            browser.wait_until("document.querySelector('#copy-link')");
            browser.run_async("localStorage.clear(); sessionStorage.clear(); readFiles().then((files) => changeFiles(files, {})).then(() => done(0), (error) => done(String(error)))");
        }
        browser.console_errors();
        let desk = Desk {
            browser,
            folder,
            base,
            front,
        };
        steps(&desk);
        // After a failure the state of the browser is unknown, so another one is started.
        desk.browser.open("about:blank");
        if let Ok(mut list) = self.browsers.lock() {
            list.push(desk.browser);
        }
    }
}

/// Takes all steps on each front that can, as tests of their own names, and ends the process.
pub fn run_all(list: &'static [Steps]) -> ! {
    let args = Arguments::from_args();
    // A list says nothing of what is missing.
    let engine = if args.list { None } else { engine() };
    let can_run = args.list || Browser::start().is_some();
    let shared = Arc::new(Shared {
        engine,
        sites: Default::default(),
        browsers: Mutex::default(),
    });
    let mut trials = Vec::new();
    for steps in list {
        for on_site in [false, true] {
            if on_site && !steps.2 {
                continue;
            }
            let is_missing = !can_run || on_site && !args.list && shared.engine.is_none();
            let shared = shared.clone();
            let name = format!("{}: {}", if on_site { "site" } else { "serve" }, steps.0);
            let run = move || {
                shared.run(*steps, on_site);
                Ok(())
            };
            trials.push(Trial::test(name, run).with_ignored_flag(is_missing));
        }
    }
    let conclusion = libtest_mimic::run(&args, trials);
    // Ends the drivers, which `exit` would leave behind.
    drop(shared);
    conclusion.exit()
}
