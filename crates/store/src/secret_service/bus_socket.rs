//! A connection to a message bus: who we are, one call after another, and their answers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

use zeroize::Zeroizing;

use super::bus_message::{BodyReader, BodyWriter, BusAnswer, MethodCall, nonsense};
use crate::keyring::KeyringAway;

/// A keyring that takes longer is one that does not answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// No answer of a keyring is longer.
const LONGEST: usize = 1 << 20;

/// How much that is not for us is passed over while an answer is waited for.
const MOST_OTHERS: usize = 1_000;

pub(super) struct BusSocket {
    stream: BufReader<UnixStream>,
    serial: u32,
}

struct BusMessage {
    kind: u8,
    /// The fields of its header.
    header: Vec<u8>,
    body: Zeroizing<Vec<u8>>,
}

impl BusSocket {
    /// By the first of the addresses that leads somewhere.
    pub(super) fn connect(addresses: &str) -> Result<Self, KeyringAway> {
        let away = |why: &dyn std::fmt::Display| {
            KeyringAway(format!("the session bus cannot be reached: {why}"))
        };
        let stream = addresses.split(';').filter_map(connected).next();
        let stream = stream.ok_or_else(|| away(&"nobody is there"))?;
        let bounded = stream.set_read_timeout(Some(PATIENCE));
        bounded.and_then(|()| stream.set_write_timeout(Some(PATIENCE))).map_err(|e| away(&e))?;
        let mut socket = Self { stream: BufReader::new(stream), serial: 0 };
        // Who we are, the kernel says.
        socket.send(b"\0AUTH EXTERNAL\r\nDATA\r\n")?;
        let mut line = String::new();
        for expected in ["DATA", "OK "] {
            line.clear();
            let mut limited = (&mut socket.stream).take(1024);
            limited.read_line(&mut line).map_err(|e| away(&e))?;
            if !line.starts_with(expected) {
                return Err(away(&"it lets nobody in"));
            }
        }
        socket.send(b"BEGIN\r\n")?;
        Ok(socket)
    }

    pub(super) fn call(
        &mut self,
        call: &MethodCall<'_>,
        body: BodyWriter,
    ) -> Result<BusAnswer, KeyringAway> {
        self.serial += 1;
        let message = call.written(self.serial, &body);
        self.send(&message)?;
        for _ in 0..MOST_OTHERS {
            let BusMessage { kind, header, body } = self.next_message()?;
            let (answers, error) = BodyReader::new(&header).header_fields()?;
            match kind {
                2 if answers == Some(self.serial) => return Ok(BusAnswer { body }),
                3 if answers == Some(self.serial) => {
                    return Err(KeyringAway(match error.as_deref() {
                        Some(name) if name.ends_with("ServiceUnknown") => {
                            "no keyring is running".to_owned()
                        }
                        Some(name) => format!("it refused: {}", toolgate_types::visible(name)),
                        None => "it refused".to_owned(),
                    }));
                }
                // News of the bus, or an answer that came too late.
                _ => {}
            }
        }
        Err(nonsense())
    }

    fn next_message(&mut self) -> Result<BusMessage, KeyringAway> {
        let mut start = [0_u8; 16];
        self.receive(&mut start)?;
        if start[0] != b'l' || start[3] != 1 {
            return Err(nonsense());
        }
        let mut numbers = BodyReader::new(&start[4..]);
        let (body, _serial, fields) = (numbers.number()?, numbers.number()?, numbers.number()?);
        let (body, fields) = (body as usize, fields as usize);
        if body > LONGEST || fields > LONGEST {
            return Err(nonsense());
        }
        let mut header = vec![0; fields.next_multiple_of(8)];
        self.receive(&mut header)?;
        header.truncate(fields);
        let mut content = Zeroizing::new(vec![0; body]);
        self.receive(&mut content)?;
        Ok(BusMessage { kind: start[1], header, body: content })
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), KeyringAway> {
        self.stream.get_mut().write_all(bytes).map_err(|error| ended(&error))
    }

    fn receive(&mut self, into: &mut [u8]) -> Result<(), KeyringAway> {
        self.stream.read_exact(into).map_err(|error| ended(&error))
    }
}

fn ended(error: &std::io::Error) -> KeyringAway {
    match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => {
            KeyringAway("it gave no answer in time".to_owned())
        }
        _ => KeyringAway(format!("the session bus cannot be reached: {error}")),
    }
}

/// `unix:path=/run/user/1000/bus,guid=…`
fn connected(address: &str) -> Option<UnixStream> {
    let pairs = address.strip_prefix("unix:")?;
    pairs.split(',').filter_map(|pair| pair.split_once('=')).find_map(|(key, value)| {
        let value = toolgate_types::decode_fully(value);
        match key {
            "path" => UnixStream::connect(value).ok(),
            "abstract" => {
                let address = SocketAddr::from_abstract_name(value).ok()?;
                UnixStream::connect_addr(&address).ok()
            }
            _ => None,
        }
    })
}
