//! TLS: rustls with ring, and Mozilla's roots compiled in. Reading the system's roots would dominate a cold start.

use std::sync::Arc;

use aws_smithy_http_client::tls::TrustStore;
use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// Returns the configuration of a client of our own.
pub(crate) fn client_config() -> Result<ClientConfig, rustls::Error> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

/// Returns the same roots in the one form that the AWS SDK's client takes: whole certificates, as PEM.
pub(crate) fn trust_store() -> TrustStore {
    let mut pem = String::with_capacity(300_000);
    for certificate in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
        pem.push_str("-----BEGIN CERTIFICATE-----\n");
        pem.push_str(&aws_smithy_types::base64::encode(certificate));
        pem.push_str("\n-----END CERTIFICATE-----\n");
    }
    TrustStore::empty().with_pem_certificate(pem)
}
