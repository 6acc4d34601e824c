//! Proxy between a client and a registry that cuts or stalls connections.

use std::{
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// Fault of connections.
#[derive(Clone, Copy)]
pub enum Fault {
    /// The first `times` answers end after `after` bytes.
    Cut { times: usize, after: usize },
    /// Each answer stalls after `after` bytes.
    Stall { after: usize },
}

/// Proxy that forwards everything except for the fault.
pub struct FaultyProxy {
    pub host: String,
    /// Number of accepted connections.
    pub connections: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl FaultyProxy {
    pub fn new(to: &str, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let between = Self { host, connections: Arc::default(), is_over: Arc::default() };
        let (connections, is_over) = (between.connections.clone(), between.is_over.clone());
        let to = to.to_owned();
        let cuts = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                connections.fetch_add(1, Ordering::SeqCst);
                let server = TcpStream::connect(&to).unwrap();
                let (mut asks, mut asked) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || {
                    let _ = io::copy(&mut asks, &mut asked);
                    let _ = asked.shutdown(Shutdown::Both);
                });
                let cuts = cuts.clone();
                thread::spawn(move || {
                    let _ = forward_answers(server, client, fault, &cuts);
                });
            }
        });
        between
    }
}

impl Drop for FaultyProxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.host);
    }
}

fn forward_answers(
    mut server: TcpStream,
    mut client: TcpStream,
    fault: Fault,
    cuts: &AtomicUsize,
) -> io::Result<()> {
    let mut buffer = [0; 8192];
    // Bytes since the last request. A connection may have several requests.
    let mut sent = 0;
    loop {
        let count = server.read(&mut buffer)?;
        if count == 0 {
            return client.shutdown(Shutdown::Both);
        }
        match fault {
            Fault::Cut { times, after } if sent + count > after && cuts.load(Ordering::SeqCst) < times => {
                cuts.fetch_add(1, Ordering::SeqCst);
                client.write_all(&buffer[..after.saturating_sub(sent)])?;
                return client.shutdown(Shutdown::Both).and(server.shutdown(Shutdown::Both));
            }
            Fault::Stall { after } if sent + count > after => {
                client.write_all(&buffer[..after.saturating_sub(sent)])?;
                // Waits until the client gives up.
                let _ = client.read(&mut buffer);
                return Ok(());
            }
            _ => client.write_all(&buffer[..count])?,
        }
        sent += count;
    }
}
