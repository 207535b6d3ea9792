//! Messages with a `Content-Length` header, as the protocol frames them.

use std::io::{self, BufRead, Read, Write};

use ordain_value::{Value, json};

/// Longer messages are refused.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// What was read.
pub(crate) enum Incoming {
    Message(Value),
    /// A frame whose content is no JSON.
    Garbled(String),
    /// The other side is gone.
    End,
}

/// Reads one message.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Incoming> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(8192).read_until(b'\n', &mut line)? == 0 {
            return Ok(Incoming::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let Some(length) = length.filter(|it| *it <= BYTES_MAX) else {
        let why = "a message without a usable Content-Length";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    };
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    Ok(match json::decode(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Garbled(error.to_string()),
    })
}

/// Writes one message.
pub(crate) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let bytes = json::encode(message);
    write!(output, "Content-Length: {}\r\n\r\n", bytes.len())?;
    output.write_all(&bytes)?;
    output.flush()
}
