//! TLS for a server, with certificates that are reloaded while it runs.
//!
//! Certificate and key are two PEM files. They are read every second, following links, and a new certificate applies to
//! the next connection; open connections keep theirs. A broken certificate is logged once and not used.
//!
//! With an authority for clients, only connections with a certificate that it signed are accepted. Its file is reloaded
//! in the same way.

mod validity;

pub use validity::Validity;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::bounded_read::{MAX_CREDENTIALS, ReadError, read_file};
use crate::digest::digest;

/// How often the files are read.
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);

/// How long a handshake may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// How many handshakes may run at the same time; further clients wait in the kernel.
const MAX_HANDSHAKES: usize = 512;

/// How many accepted connections may wait for the server.
const MAX_READY: usize = 64;

type Config = Arc<RwLock<Arc<ServerConfig>>>;

/// A configuration, and until when its certificate is valid.
type Served = (ServerConfig, Option<Validity>);

/// Accepts connections for [`crate::http_server::serve`]. A client with a slow handshake delays no other.
pub struct TlsListener {
    address: SocketAddr,
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    validity: watch::Receiver<Option<Validity>>,
    /// Dropping it ends the tasks.
    _tasks: JoinSet<()>,
}

impl TlsListener {
    /// Accepts connections from `listener`; needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// The files cannot be read, hold no certificate and key, or do not match.
    pub fn new(listener: std::net::TcpListener, files: TlsFiles) -> Result<TlsListener, TlsError> {
        let found = files.read()?;
        let (config, validity) = files.config(&found)?;
        let config = Arc::new(RwLock::new(Arc::new(config)));
        let (send_validity, validity) = watch::channel(validity);
        listener.set_nonblocking(true).map_err(TlsError::Listener)?;
        let listener = TcpListener::from_std(listener).map_err(TlsError::Listener)?;
        let address = listener.local_addr().map_err(TlsError::Listener)?;
        let (send, ready) = mpsc::channel(MAX_READY);
        let mut tasks = JoinSet::new();
        tasks.spawn(reload(files, found.stamp(), Arc::clone(&config), send_validity));
        tasks.spawn(accept(listener, config, send));
        Ok(TlsListener { address, ready, validity, _tasks: tasks })
    }

    /// Until when the certificate that is served is valid; nothing if that cannot be read.
    pub fn validity(&self) -> watch::Receiver<Option<Validity>> {
        self.validity.clone()
    }
}

impl axum::serve::Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            // The sending task ends only with this listener.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(self.address)
    }
}

impl fmt::Debug for TlsListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsListener").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Why a certificate cannot be used.
#[derive(Debug)]
pub enum TlsError {
    Unreadable {
        file: PathBuf,
        error: ReadError,
    },
    /// The file contains no PEM block of the wanted kind.
    Missing {
        file: PathBuf,
        wanted: &'static str,
    },
    BadPem {
        file: PathBuf,
        reason: String,
    },
    /// Both can be read but not used, or do not match.
    Unusable {
        cert: PathBuf,
        key: PathBuf,
        reason: String,
    },
    /// No certificate in it can vouch for clients.
    UnusableClientCa {
        file: PathBuf,
        reason: String,
    },
    Listener(io::Error),
}

impl TlsError {
    /// What to do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "give a file that this process may read; in a pod, is the Secret mounted?",
            Self::Missing { .. } => {
                "give the certificate chain as `-----BEGIN CERTIFICATE-----` blocks and the key as one `-----BEGIN \
                 PRIVATE KEY-----` block; have the two been swapped?"
            }
            Self::BadPem { .. } => "is the file complete? PEM is base64 between a `BEGIN` and an `END` line",
            Self::Unusable { .. } => "the key must be the one that the first certificate of the chain was issued for",
            Self::UnusableClientCa { .. } => {
                "give the certificates of the authorities that sign client certificates, as `-----BEGIN \
                 CERTIFICATE-----` blocks"
            }
            Self::Listener(_) => "choose another address",
        }
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, error } => write!(f, "`{}` cannot be read: {error}", file.display()),
            Self::Missing { file, wanted } => write!(f, "there is no {wanted} in `{}`", file.display()),
            Self::BadPem { file, reason } => write!(f, "`{}` is not PEM: {reason}", file.display()),
            Self::Unusable { cert, key, reason } => {
                write!(f, "`{}` cannot be served with the key in `{}`: {reason}", cert.display(), key.display())
            }
            Self::UnusableClientCa { file, reason } => {
                write!(f, "`{}` cannot be used to check client certificates: {reason}", file.display())
            }
            Self::Listener(error) => write!(f, "cannot listen: {error}"),
        }
    }
}

impl std::error::Error for TlsError {}

/// The PEM files of a TLS server.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    pub cert: PathBuf,
    pub key: PathBuf,
    /// The authorities of client certificates; without them, clients need none.
    pub client_ca: Option<PathBuf>,
}

/// The contents of the files.
struct Contents {
    cert: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

impl Contents {
    /// Identifies the contents without keeping the key.
    fn stamp(&self) -> String {
        let client_ca = self.client_ca.as_deref().map(digest).unwrap_or_default();
        format!("{} {} {client_ca}", digest(&self.cert), digest(&self.key))
    }
}

impl TlsFiles {
    fn read(&self) -> Result<Contents, TlsError> {
        let read = |file: &Path| {
            read_file(file, MAX_CREDENTIALS).map_err(|error| TlsError::Unreadable { file: file.to_owned(), error })
        };
        let client_ca = self.client_ca.as_deref().map(read).transpose()?;
        Ok(Contents { cert: read(&self.cert)?, key: read(&self.key)?, client_ca })
    }

    fn config(&self, found: &Contents) -> Result<Served, TlsError> {
        let chain = certificates(&self.cert, &found.cert)?;
        let validity = chain.first().and_then(|it| Validity::of(it));
        let key =
            PrivateKeyDer::from_pem_slice(&found.key).map_err(|error| bad_pem(&self.key, "private key", error))?;
        let verifier = match (&self.client_ca, &found.client_ca) {
            (Some(file), Some(pem)) => client_verifier(file, pem)?,
            _ => WebPkiClientVerifier::no_client_auth(),
        };
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|it| it.with_client_cert_verifier(verifier).with_single_cert(chain, key));
        let mut config = config.map_err(|error| TlsError::Unusable {
            cert: self.cert.clone(),
            key: self.key.clone(),
            reason: error.to_string(),
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok((config, validity))
    }

    /// Reads the files; returns their stamp and configuration if they changed since `before`.
    ///
    /// The contents are read every time: a swapped link may lead to a file of the same age and length.
    fn changed(&self, before: &str) -> Option<(String, Result<Served, TlsError>)> {
        let found = self.read();
        let stamp = match &found {
            Ok(found) => found.stamp(),
            Err(error) => error.to_string(),
        };
        (stamp != before).then(|| (stamp, found.and_then(|found| self.config(&found))))
    }
}

fn bad_pem(file: &Path, wanted: &'static str, error: pem::Error) -> TlsError {
    match error {
        pem::Error::NoItemsFound => TlsError::Missing { file: file.to_owned(), wanted },
        other => TlsError::BadPem { file: file.to_owned(), reason: other.to_string() },
    }
}

/// The certificates of a file; at least one.
fn certificates(file: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    match found.map_err(|error| bad_pem(file, "certificate", error))? {
        none if none.is_empty() => Err(bad_pem(file, "certificate", pem::Error::NoItemsFound)),
        found => Ok(found),
    }
}

/// Accepts the client certificates that an authority in `pem` signed, and no client without one.
fn client_verifier(file: &Path, pem: &[u8]) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let unusable = |reason: String| TlsError::UnusableClientCa { file: file.to_owned(), reason };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file, pem)? {
        roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
    verifier.map_err(|error| unusable(error.to_string()))
}

/// Reloads the files when they change, as long as the listener exists.
async fn reload(files: TlsFiles, mut stamp: String, config: Config, validity: watch::Sender<Option<Validity>>) {
    let mut ticks = interval(RELOAD_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let (files, before) = (files.clone(), stamp.clone());
        // Reading may block on a disk that hangs.
        let Ok(Some((now, made))) = tokio::task::spawn_blocking(move || files.changed(&before)).await else { continue };
        stamp = now;
        match made {
            Ok((made, until)) => {
                *config.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(made);
                validity.send_replace(until);
                tracing::info!("the certificate was renewed");
            }
            Err(error) => {
                tracing::error!(%error, hint = error.hint(), "the new certificate is not taken; the last one stays");
            }
        }
    }
}

/// Accepts connections and runs many handshakes at the same time.
async fn accept(listener: TcpListener, config: Config, send: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>) {
    let permits = Arc::new(Semaphore::new(MAX_HANDSHAKES));
    // Dropping it ends the running handshakes.
    let mut handshakes = JoinSet::new();
    loop {
        // The semaphore is never closed.
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        while handshakes.try_join_next().is_some() {}
        let (stream, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                let is_of_client = matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionAborted
                        | io::ErrorKind::ConnectionRefused
                        | io::ErrorKind::ConnectionReset
                );
                // Usually too many open files: others may be closed soon.
                if !is_of_client {
                    tracing::error!(%error, "a connection cannot be accepted");
                    sleep(Duration::from_secs(1)).await;
                }
                continue;
            }
        };
        let acceptor = TlsAcceptor::from(Arc::clone(&config.read().unwrap_or_else(PoisonError::into_inner)));
        let send = send.clone();
        handshakes.spawn(async move {
            // Responses are small and awaited; without this they are only slower.
            let _ = stream.set_nodelay(true);
            let agreed = timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await;
            drop(permit);
            match agreed {
                // The listener may be gone.
                Ok(Ok(stream)) => drop(send.send((stream, address)).await),
                Ok(Err(error)) => tracing::debug!(%address, %error, "TLS handshake failed"),
                Err(_) => tracing::debug!(%address, "TLS handshake timed out"),
            }
        });
    }
}
