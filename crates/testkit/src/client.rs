//! A small blocking HTTP/1.1 client, with the connection kept open between requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use ordain_schema::base64;
use ordain_value::{Map, Value, json};

/// What every message begins with.
const PROTOBUF_PREFIX: &[u8] = b"k8s\0";

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub code: u16,
    /// Names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// What [`parse`] makes of the body: JSON, a message or text; null for an empty body.
    pub body: Value,
}

impl Answer {
    /// A header by its name in lower case; empty when there is none.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().rev().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// The texts of all warnings.
    pub fn warnings(&self) -> Vec<String> {
        let warnings = self.headers.iter().filter(|(key, _)| key == "warning");
        warnings.map(|(_, value)| value.clone()).collect()
    }
}

/// A connection to a server.
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
}

/// A request.
#[derive(Debug, Clone, Default)]
pub struct Request<'a> {
    /// The HTTP method.
    pub method: &'a str,
    /// Path and query.
    pub path: &'a str,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
    /// The media type of the body.
    pub content_type: &'a str,
    /// Further headers.
    pub headers: Vec<(String, String)>,
}

impl Client {
    /// A client of the server at an address.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, connection: None }
    }

    /// Where the server is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes a request; a connection that was closed in the meantime is opened again.
    pub fn call(&mut self, request: &Request<'_>) -> std::io::Result<Answer> {
        if let Ok(answer) = self.try_call(request) {
            return Ok(answer);
        }
        self.connection = None;
        self.try_call(request)
    }

    /// A GET whose answer is read as JSON.
    pub fn get(&mut self, path: &str) -> std::io::Result<Answer> {
        self.call(&Request { method: "GET", path, ..Request::default() })
    }

    fn try_call(&mut self, request: &Request<'_>) -> std::io::Result<Answer> {
        let address = self.address;
        let connection = match &mut self.connection {
            Some(connection) => connection,
            slot => slot.insert(BufReader::new(open(address)?)),
        };
        connection.get_mut().write_all(&encode(address, request))?;
        let (code, headers) = read_head(connection)?;
        let answer = Answer { code, headers, body: Value::Null };
        let bytes = read_body(connection, request.method, &answer)?;
        if answer.header("connection").eq_ignore_ascii_case("close") {
            self.connection = None;
        }
        Ok(Answer { body: parse(&bytes), ..answer })
    }
}

pub(crate) fn open(address: SocketAddr) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    Ok(stream)
}

pub(crate) fn encode(address: SocketAddr, request: &Request<'_>) -> Vec<u8> {
    let mut head = format!("{} {} HTTP/1.1\r\nhost: {address}\r\n", request.method, request.path);
    let named = |name: &str| request.headers.iter().any(|(key, _)| key.eq_ignore_ascii_case(name));
    if !named("accept") {
        head.push_str("accept: application/json\r\n");
    }
    if let Some(body) = &request.body {
        if !named("content-type") {
            head.push_str(&format!("content-type: {}\r\n", request.content_type));
        }
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    } else if matches!(request.method, "POST" | "PUT" | "PATCH") {
        head.push_str("content-length: 0\r\n");
    }
    for (key, value) in &request.headers {
        head.push_str(&format!("{key}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let mut bytes: Vec<u8> =
        head.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')).collect();
    bytes.extend(request.body.iter().flatten());
    bytes
}

pub(crate) fn read_head(
    connection: &mut BufReader<TcpStream>,
) -> std::io::Result<(u16, Vec<(String, String)>)> {
    let broken = |what: &str| std::io::Error::other(format!("broken answer: {what}"));
    let line = read_line(connection)?;
    let code = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let code = code.ok_or_else(|| broken(&line))?;
    let mut headers = Vec::new();
    loop {
        let line = read_line(connection)?;
        if line.is_empty() {
            return Ok((code, headers));
        }
        let (key, value) = line.split_once(':').ok_or_else(|| broken(&line))?;
        headers.push((key.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn read_line(connection: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    connection.read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    // Heads are Latin-1, as the recorder read them.
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    Ok(text.trim_end().to_owned())
}

fn read_body(
    connection: &mut BufReader<TcpStream>,
    method: &str,
    answer: &Answer,
) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if method == "HEAD" || matches!(answer.code, 204 | 304) {
        return Ok(bytes);
    }
    if answer.header("transfer-encoding").eq_ignore_ascii_case("chunked") {
        while read_chunk(connection, &mut bytes)? {}
    } else {
        let len: u64 = answer.header("content-length").parse().unwrap_or(0);
        connection.take(len).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Appends the next chunk; false after the last.
pub(crate) fn read_chunk(
    connection: &mut BufReader<TcpStream>,
    bytes: &mut Vec<u8>,
) -> std::io::Result<bool> {
    let size = read_line(connection)?;
    let size = u64::from_str_radix(size.split(';').next().unwrap_or(""), 16)
        .map_err(std::io::Error::other)?;
    connection.take(size).read_to_end(bytes)?;
    read_line_end(connection)?;
    Ok(size > 0)
}

fn read_line_end(connection: &mut BufReader<TcpStream>) -> std::io::Result<()> {
    let mut end = [0; 2];
    connection.read_exact(&mut end)
}

/// JSON if it is, a protobuf message as recordings write it (`{"base64": …}`), else text.
pub fn parse(bytes: &[u8]) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    if bytes.starts_with(PROTOBUF_PREFIX) {
        let mut message = Map::new();
        message.insert("base64", base64::encode(bytes).into());
        return Value::Map(message);
    }
    json::decode(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into_owned().into())
}
