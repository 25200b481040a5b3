//! Keys as people have them, what is signed with them, and files that are not believed.

use std::os::unix::fs::OpenOptionsExt as _;

use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED, KeyPair as _, UnparsedPublicKey};
use serde_json::Value;
use std::io::Write as _;

use super::*;

/// A key made anew, as `openssl genpkey` writes one.
fn new_key() -> (String, Vec<u8>) {
    let random = SystemRandom::new();
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &random).unwrap();
    let body = STANDARD.encode(der.as_ref());
    let lines: Vec<&str> =
        (0..body.len()).step_by(64).map(|at| &body[at..body.len().min(at + 64)]).collect();
    let pem =
        format!("{BEGINS} PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", lines.join("\n"));
    (pem, pair.public_key().as_ref().to_vec())
}

fn key(text: &str) -> Result<ClientKey, LoginError> {
    ClientKey::of(&ConfigText::hidden(text.to_owned()))
}

#[test]
fn what_it_signs_names_the_client_and_one_audience_and_ends_in_a_minute() {
    let (pem, public) = new_key();
    let signed = key(&pem).unwrap().assertion("gate", "https://id.example", 1_800_000_000_999);
    let signed = signed.unwrap();
    let (said, signature) = signed.expose().rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
    public.verify(said.as_bytes(), &signature).unwrap();
    let parts: Vec<Value> = said
        .split('.')
        .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
        .collect();
    assert_eq!(parts[0], serde_json::json!({ "alg": "ES256", "typ": "JWT" }));
    let claims = &parts[1];
    assert_eq!((&claims["iss"], &claims["sub"]), (&"gate".into(), &"gate".into()));
    assert_eq!(claims["aud"], "https://id.example");
    assert_eq!((&claims["iat"], &claims["exp"]), (&1_800_000_000.into(), &1_800_000_060.into()));
    let again = key(&pem).unwrap().assertion("gate", "https://id.example", 1_800_000_000_999);
    assert_ne!(again.unwrap().expose(), signed.expose(), "each has an id of its own");
}

#[test]
fn a_key_lies_in_a_file_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.pem");
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(&path).unwrap();
    file.write_all(new_key().0.as_bytes()).unwrap();
    key(path.to_str().unwrap()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let refused = key(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(refused.contains("others can read"), "{refused}");
    for bad in ["key.pem", "/nowhere/key.pem", folder.path().to_str().unwrap(), "c4nary", ""] {
        let refused = key(bad).unwrap_err();
        assert!(matches!(refused, LoginError::BadClientKey(_)), "{bad}: {refused}");
        assert!(!refused.to_string().contains("c4nary"));
    }
    let broken = format!("{BEGINS} PRIVATE KEY-----\nYzRuYXJ5\n-----END PRIVATE KEY-----");
    assert!(key(&broken).is_err());
}

/// A key for RS256, that nobody uses for anything.
#[test]
fn a_key_of_the_older_kind_signs_too() {
    let signed = key(RSA).unwrap().assertion("gate", "https://id.example", 0).unwrap();
    let header = signed.expose().split('.').next().unwrap();
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap();
    assert_eq!(header["alg"], "RS256");
}

const RSA: &str = "-----BEGIN PRIVATE KEY-----\n\
                   MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDbyz1DwjICAgC/\n\
                   i0WvTg0hRwA+Kt50YaOcfRcCx2c6IjoijZr9qZpUMg1wSlw2yLIuIDk22Th5dtqI\n\
                   JlPSDp+P1FSSxm8CqaTbiIjaVAYqShqotiZqAWTe5xs8st0XKXlK8itSRj1d/r+Y\n\
                   2G686IPIkKKqYVrnf/5p7e1r3WxvtmI5ieMARgMsL7UQT3iNP6xebenJTuUrHn6a\n\
                   3WFEsKcRtd8/IQFrhRqek5iIeqUrSXfliMuK90hsk6wsAiyArpaxBr/S+6Br6KEP\n\
                   wiM/qZOXHH+bFQmMBk2oXfeneB0dFTHnee6zDm8HcyxLEWNrfq4SnzWSR4ru8JH1\n\
                   9XVu6WGFAgMBAAECggEAHqtJoXCRy0ttwMyFfPxyYxQV8dbIAyvTqWSgBxx9aDR5\n\
                   8bPaLm6R0RFJ5EMQAnn3OO34pdFiKrq9rBVTCWLOe4KYiYGEYHX9AcAXvoVOdeyw\n\
                   sx11l0GaCmtrlsjrhk2cdet8RYb1Da5cHE8JBrWYG+6osAcVKOvoe23+fNhhBuZF\n\
                   JeP95gFDlbdkek8vAV0mH9Yu5HtMLmKA276xYSAibtJttjogVteug3nsXMA6eSNU\n\
                   r1i4cDIGlqN0iQ5MEA/vRvtiJ4o3FHFoeVYvZRLBDZRs+tYOGIvZDVcwOEo6VaeS\n\
                   3xd1DriL2Hdj5AYH7U7AHRQwFhW7ywrQlGGbZinEUQKBgQD3H8hjP6T/DHXpBOHb\n\
                   xBCi/2CbniZsohSqRzQlx6EuFySmOambPa6QSe/q9A52MqM8Is7ITlZ7tcVhAMfg\n\
                   SstBQULFz5oO5N58VLc2hI4e5QKo3QkUSXUShQp5iS9YqnY+Sp6bd0Po1YNR+zjg\n\
                   nGG9+1KXDPhRfnLwOSyHBVHPFQKBgQDjsCowc7QOgNowGrHKX4PqVUfHYP4cbeSR\n\
                   vh1VuWM3MZDWPUxiWgpR1Xo66upG8CUEY+C93M/dLVUCyFQyLgkk94o4gy2mXWCp\n\
                   cb4NnB7YuwuxbsmCOqAimlDWqFbRJXp7Pzwjj7qUY0Ul627HOzxV51nMxDtCy7a+\n\
                   WVnrX+FksQKBgGmjRXbfqvl36yNr+dyG6JG01yhOp6BCfND5VRpdRtI8BGemOJFr\n\
                   AaceZBessk3mgY7gVkKb8i452qEHw2lmr5I6gn+qqfF59n1xfUwpx9L/FG745but\n\
                   VwVOp9aiRQIDBD7GiRxuFDKAqv0thffGAaZDu99kJPY5Norn9dfV902tAoGBAKgr\n\
                   FG4m90WDDCRdgxV7CL7KcDKlw+oRjLHMnnQTcmFwvY5PRhyabmbU6uubWKA+fMjK\n\
                   UFNLRUgSVGiyt+U8NUrVfoSQ9uWasGtWdE4vEmV3eYJ61mDWljIYkj6JpV3idZ2U\n\
                   LgICBYfV7lu8kVybtsuoDZ59DVwfhIEBE7YSYjJxAoGARcpq737cXWubKP6SkfX2\n\
                   CVDUHruZJH1XsmWn6V5zWdozINZq/jlQ16/K6xdhiGbRzE3KQrFlgtnw5Ll2lzEw\n\
                   cvgjX7IfZ7oSSbPICroPR2B8HnTMlHrlD/1dEzgP0oOF/zlPMSuzpqJyPBHO4WF/\n\
                   0muGgS1QWQYIxbDVEVLNXSo=\n\
                   -----END PRIVATE KEY-----";
