//! A certificate that is renewed while the server runs, and clients that keep to nothing.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use fleetfold::tls::{TlsError, TlsListener};
use rcgen::{CertifiedKey, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
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
    fails(&cert[..cert.len() / 2], &key, "tls.crt` is not PEM", "whole");
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
        TlsListener::new(listener, self.0.join("tls.crt"), self.0.join("tls.key"))
    }

    fn serve(&self) -> SocketAddr {
        let listener = self.listen().unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(axum::serve(listener, axum::Router::new()).into_future());
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
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(server.cert.der().to_vec())).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
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
