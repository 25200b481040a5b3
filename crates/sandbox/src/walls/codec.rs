//! How a plan travels to the process that carries it out: numbers of eight bytes, texts with the NUL
//! that ends them. Both ends are one program, so there are no versions.

use std::ffi::CString;

use toolgate_types::config::{NamedHost, NetworkAccess, ResourceLimits};

use super::{CreationRules, OuterStage, RootStep, Walls};

#[derive(Default)]
pub(crate) struct CodecWriter(Vec<u8>);

impl CodecWriter {
    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &CString) {
        self.0.extend_from_slice(text.as_bytes_with_nul());
    }

    pub(crate) fn texts(&mut self, texts: &[CString]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// The rest that was not read yet.
pub(crate) struct CodecReader<'b>(pub(crate) &'b [u8]);

impl CodecReader<'_> {
    pub(crate) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(crate) fn text(&mut self) -> Option<CString> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let (text, rest) = self.0.split_at_checked(end + 1)?;
        self.0 = rest;
        CString::from_vec_with_nul(text.to_vec()).ok()
    }

    pub(crate) fn texts(&mut self) -> Option<Vec<CString>> {
        let count = self.number()?;
        (0..count).map(|_| self.text()).collect()
    }

    fn pairs(&mut self) -> Option<Vec<(CString, CString)>> {
        let count = self.number()?;
        (0..count).map(|_| Some((self.text()?, self.text()?))).collect()
    }
}

impl Walls {
    pub(crate) fn write(&self, to: &mut CodecWriter) {
        let Self {
            outer,
            bubblewrap,
            user,
            group,
            steps,
            writable,
            creations,
            network,
            learns,
            limits,
        } = self;
        to.number(*outer as u64);
        to.texts(bubblewrap.as_slice());
        to.number(u64::from(*user));
        to.number(u64::from(*group));
        write_network(network, to);
        to.number(u64::from(*learns));
        let ResourceLimits { processes, memory_bytes, file_bytes, scratch_bytes, cpu_seconds } =
            *limits;
        for limit in [u64::from(processes), memory_bytes, file_bytes, scratch_bytes, cpu_seconds] {
            to.number(limit);
        }
        to.texts(writable);
        to.number(u64::from(creations.is_some()));
        if let Some(CreationRules { root, around, free, protected, only_made }) = creations {
            to.text(root);
            to.texts(around);
            to.texts(free);
            for pairs in [protected, only_made] {
                to.number(pairs.len() as u64);
                for (folder, name) in pairs {
                    to.text(folder);
                    to.text(name);
                }
            }
        }
        to.number(steps.len() as u64);
        steps.iter().for_each(|step| step.write(to));
    }

    pub(crate) fn read(from: &mut CodecReader<'_>) -> Option<Self> {
        let outer = from.number()?;
        let outer = [OuterStage::Namespaces, OuterStage::Bubblewrap, OuterStage::Container]
            .into_iter()
            .find(|stage| *stage as u64 == outer)?;
        let bubblewrap = from.texts()?.pop();
        let (user, group) = (from.number()?.try_into().ok()?, from.number()?.try_into().ok()?);
        let network = read_network(from)?;
        let learns = from.number()? != 0;
        let limits = ResourceLimits {
            processes: from.number()?.try_into().ok()?,
            memory_bytes: from.number()?,
            file_bytes: from.number()?,
            scratch_bytes: from.number()?,
            cpu_seconds: from.number()?,
        };
        let writable = from.texts()?;
        let creations = match from.number()? {
            0 => None,
            _ => Some(CreationRules {
                root: from.text()?,
                around: from.texts()?,
                free: from.texts()?,
                protected: from.pairs()?,
                only_made: from.pairs()?,
            }),
        };
        let count = from.number()?;
        let steps = (0..count).map(|_| RootStep::read(from)).collect::<Option<_>>()?;
        Some(Self {
            outer,
            bubblewrap,
            user,
            group,
            steps,
            writable,
            creations,
            network,
            learns,
            limits,
        })
    }
}

fn write_network(network: &NetworkAccess, to: &mut CodecWriter) {
    match network {
        NetworkAccess::Off => to.number(0),
        NetworkAccess::Everything => to.number(1),
        NetworkAccess::Named(hosts) => {
            to.number(2);
            // Their spelling has no NUL.
            let hosts = hosts.iter().filter_map(|host| CString::new(host.to_string()).ok());
            to.texts(&hosts.collect::<Vec<_>>());
        }
    }
}

fn read_network(from: &mut CodecReader<'_>) -> Option<NetworkAccess> {
    let named = |text: &CString| NamedHost::parse(text.to_str().ok()?).ok();
    Some(match from.number()? {
        0 => NetworkAccess::Off,
        1 => NetworkAccess::Everything,
        2 => NetworkAccess::Named(from.texts()?.iter().map(named).collect::<Option<_>>()?),
        _ => return None,
    })
}

impl RootStep {
    fn write(&self, to: &mut CodecWriter) {
        match self {
            Self::Show { source, at, is_writable, is_folder } => {
                to.number(0);
                to.text(at);
                to.text(source);
                to.number(u64::from(*is_writable));
                to.number(u64::from(*is_folder));
            }
            Self::Scratch { at, bytes } => {
                to.number(1);
                to.text(at);
                to.number(*bytes);
            }
            Self::Empty { at } => {
                to.number(2);
                to.text(at);
            }
            Self::Blank { at } => {
                to.number(3);
                to.text(at);
            }
            Self::Text { at, text } => {
                to.number(5);
                to.text(at);
                to.text(text);
            }
            Self::Overlay { at, lower, upper, work } => {
                to.number(6);
                to.text(at);
                [lower, upper, work].into_iter().for_each(|path| to.text(path));
            }
            Self::Link { at, to: target } => {
                to.number(4);
                to.text(at);
                to.text(target);
            }
        }
    }

    fn read(from: &mut CodecReader<'_>) -> Option<Self> {
        let (kind, at) = (from.number()?, from.text()?);
        Some(match kind {
            0 => Self::Show {
                at,
                source: from.text()?,
                is_writable: from.number()? != 0,
                is_folder: from.number()? != 0,
            },
            1 => Self::Scratch { at, bytes: from.number()? },
            2 => Self::Empty { at },
            3 => Self::Blank { at },
            5 => Self::Text { at, text: from.text()? },
            4 => Self::Link { at, to: from.text()? },
            6 => Self::Overlay { at, lower: from.text()?, upper: from.text()?, work: from.text()? },
            _ => return None,
        })
    }
}
