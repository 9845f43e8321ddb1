//! A certificate that is renewed while the server runs, and clients that keep to nothing.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use fleetfold::http_server::{HttpLimits, serve};
use fleetfold::tls::{TlsError, TlsFiles, TlsListener, Validity};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, CertifiedKey, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

type Issued = CertifiedKey<KeyPair>;

#[tokio::test]
async fn a_new_certificate_is_served_and_a_broken_one_is_not() {
    let (folder, a, b) = (Folder::new("renew"), issued(), issued());
    folder.put("one", &a.cert.pem(), &a.signing_key.serialize_pem());
    let address = folder.serve();
    assert!(speaks(address, &a).await);
    assert!(!speaks(address, &b).await);

    folder.put("two", &b.cert.pem(), &b.signing_key.serialize_pem());
    eventually(address, &b).await;
    assert!(!speaks(address, &a).await);

    folder.put("three", "garbage", &a.signing_key.serialize_pem());
    stays(address, &b).await;
    // The key of another certificate.
    folder.put("four", &a.cert.pem(), &b.signing_key.serialize_pem());
    stays(address, &b).await;
    fs::remove_file(folder.0.join("data")).unwrap();
    stays(address, &b).await;

    folder.put("five", &a.cert.pem(), &a.signing_key.serialize_pem());
    eventually(address, &a).await;
}

#[tokio::test]
async fn the_end_of_the_served_certificate_is_known() {
    let folder = Folder::new("validity");
    let put = |place: &str, year: i32| {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_after = date_time_ymd(year, 6, 1);
        let key = KeyPair::generate().unwrap();
        folder.put(place, &params.self_signed(&key).unwrap().pem(), &key.serialize_pem());
    };
    put("one", 2030);
    let listener = folder.listen().unwrap();
    let mut validity = listener.validity();
    let end = |it: &watch::Receiver<Option<Validity>>| it.borrow().map(|it| it.end());
    assert_eq!(end(&validity).as_deref(), Some("2030-06-01T00:00:00Z"));
    put("two", 2060);
    validity.changed().await.unwrap();
    assert_eq!(end(&validity).as_deref(), Some("2060-06-01T00:00:00Z"));
}

#[tokio::test]
async fn a_client_that_says_nothing_keeps_nobody_waiting() {
    let (folder, a) = (Folder::new("silent"), issued());
    folder.put("one", &a.cert.pem(), &a.signing_key.serialize_pem());
    let address = folder.serve();
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let spoken = tokio::time::timeout(Duration::from_secs(2), speaks(address, &a)).await;
    assert_eq!(spoken, Ok(true));
}

#[tokio::test]
async fn http_is_what_both_agree_on() {
    let (folder, a) = (Folder::new("alpn"), issued());
    folder.put("one", &a.cert.pem(), &a.signing_key.serialize_pem());
    let stream = connect(folder.serve(), &a).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
}

#[tokio::test]
async fn only_clients_with_a_certificate_of_the_authority_are_answered() {
    let (folder, server) = (Folder::new("clients"), issued());
    folder.put("one", &server.cert.pem(), &server.signing_key.serialize_pem());
    let (ours, theirs) = (authority(), authority());
    fs::write(folder.0.join("ca.crt"), ours.pem()).unwrap();
    let address = folder.serve();
    let (good, foreign) = (client_of(&ours), client_of(&theirs));
    assert!(answers(address, &server, Some(&good)).await);
    assert!(!answers(address, &server, None).await, "a client without a certificate");
    assert!(!answers(address, &server, Some(&foreign)).await, "a client of another authority");
    // The authority is renewed while the server runs; both are valid for a time.
    fs::write(folder.0.join("ca.crt"), format!("{}{}", ours.pem(), theirs.pem())).unwrap();
    for round in 0.. {
        assert!(round < 100, "the new authority is not taken");
        if answers(address, &server, Some(&foreign)).await {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(answers(address, &server, Some(&good)).await);
    assert!(!answers(address, &server, None).await);
}

#[tokio::test]
async fn an_authority_that_cannot_be_used_is_told() {
    let (folder, server) = (Folder::new("no-authority"), issued());
    folder.put("one", &server.cert.pem(), &server.signing_key.serialize_pem());
    for (text, message) in [("", "there is no certificate in"), ("-----BEGIN CERTIFICATE-----\nx", "is not PEM")] {
        fs::write(folder.0.join("ca.crt"), text).unwrap();
        let error = folder.listen().unwrap_err();
        assert!(error.to_string().contains(message) && error.to_string().contains("ca.crt"), "{error}");
    }
}

#[tokio::test]
async fn a_pipe_or_a_device_in_place_of_a_file_is_refused() {
    let (folder, server) = (Folder::new("special"), issued());
    folder.put("one", &server.cert.pem(), &server.signing_key.serialize_pem());
    let authority = folder.0.join("ca.crt");
    let pipe = folder.0.join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    for special in [pipe.as_path(), Path::new("/dev/zero")] {
        symlink(special, &authority).unwrap();
        let error = folder.listen().unwrap_err().to_string();
        assert!(error.contains("ca.crt") && error.contains("it is a pipe or a device"), "{error}");
        fs::remove_file(&authority).unwrap();
    }
}

/// An authority that signs client certificates.
fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn client_of(authority: &CertifiedIssuer<'static, KeyPair>) -> Issued {
    let signing_key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["client".to_owned()]).unwrap();
    CertifiedKey { cert: params.signed_by(&signing_key, authority).unwrap(), signing_key }
}

/// Whether a request of this client is answered. With TLS 1.3, a refusal comes after the handshake.
async fn answers(address: SocketAddr, server: &Issued, client: Option<&Issued>) -> bool {
    let Ok(mut stream) = connect_as(address, server, client).await else { return false };
    if stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.is_err() {
        return false;
    }
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text).await;
    text.ends_with(b"hello")
}

#[tokio::test]
async fn what_is_wrong_at_the_start_is_told() {
    let (folder, a, b) = (Folder::new("wrong"), issued(), issued());
    let (cert, key) = (a.cert.pem(), a.signing_key.serialize_pem());
    let fails = |cert: &str, key: &str, message: &str, hint: &str| {
        folder.put("any", cert, key);
        let error = folder.listen().unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint().contains(hint), "{}", error.hint());
    };
    fails("", &key, "there is no certificate in", "swapped");
    fails(&key, &cert, "there is no certificate in", "swapped");
    fails(&cert, &cert, "there is no private key in", "swapped");
    fails(&cert[..cert.len() / 2], &key, "tls.crt` is not PEM", "complete");
    fails(&cert, &b.signing_key.serialize_pem(), "cannot be served with the key in", "issued for");
    fs::remove_file(folder.0.join("data")).unwrap();
    let error = folder.listen().unwrap_err();
    assert!(error.to_string().contains("tls.crt` cannot be read"), "{error}");
}

/// A folder as the kubelet makes one: the files are links through a link that is swapped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("fleetfold-tls-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        for file in ["tls.crt", "tls.key"] {
            symlink(Path::new("data").join(file), path.join(file)).unwrap();
        }
        Folder(path)
    }

    fn put(&self, version: &str, cert: &str, key: &str) {
        let content = self.0.join(version);
        fs::create_dir_all(&content).unwrap();
        fs::write(content.join("tls.crt"), cert).unwrap();
        fs::write(content.join("tls.key"), key).unwrap();
        let _ = fs::remove_file(self.0.join("next"));
        symlink(version, self.0.join("next")).unwrap();
        fs::rename(self.0.join("next"), self.0.join("data")).unwrap();
    }

    fn listen(&self) -> Result<TlsListener, TlsError> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let client_ca = Some(self.0.join("ca.crt")).filter(|it| it.exists());
        TlsListener::new(listener, TlsFiles { cert: self.0.join("tls.crt"), key: self.0.join("tls.key"), client_ca })
    }

    fn serve(&self) -> SocketAddr {
        let listener = self.listen().unwrap();
        let address = listener.local_addr().unwrap();
        let routes = axum::Router::new().route("/", axum::routing::get(|| async { "hello" }));
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(async move {
            serve(listener, routes, HttpLimits::default(), stopped).await;
            drop(stop);
        });
        address
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn issued() -> Issued {
    rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

/// A connection with a server that proves to be `server`.
async fn connect(address: SocketAddr, server: &Issued) -> std::io::Result<TlsStream<TcpStream>> {
    connect_as(address, server, None).await
}

/// The same as a client with a certificate.
async fn connect_as(
    address: SocketAddr,
    server: &Issued,
    client: Option<&Issued>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(server.cert.der().to_vec())).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match client {
        Some(Issued { cert, signing_key }) => {
            let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
            config.with_client_auth_cert(vec![cert.der().clone()], key).unwrap()
        }
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let stream = TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream).await
}

async fn speaks(address: SocketAddr, server: &Issued) -> bool {
    connect(address, server).await.is_ok()
}

async fn eventually(address: SocketAddr, server: &Issued) {
    for _ in 0..100 {
        if speaks(address, server).await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the certificate is not served");
}

/// Longer than it takes to look.
async fn stays(address: SocketAddr, server: &Issued) {
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(speaks(address, server).await);
    }
}
