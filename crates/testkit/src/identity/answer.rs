//! What each address of an authorization server answers.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{GivenCode, IdentityKnowledge};

type Fields = BTreeMap<String, String>;

impl IdentityKnowledge {
    pub(super) fn answer(
        &mut self,
        origin: &str,
        path: &str,
        fields: &Fields,
        body: &[u8],
    ) -> Response<Full<Bytes>> {
        match path {
            "/.well-known/oauth-authorization-server" => match &self.faults.metadata_redirect {
                Some(elsewhere) => moved(elsewhere),
                None => self.metadata_answer(origin),
            },
            "/register" => {
                let wanted: Value = serde_json::from_slice(body).unwrap_or_default();
                self.count += 1;
                document(
                    201,
                    &json!({
                        "client_id": format!("client-{}", self.count),
                        "redirect_uris": wanted["redirect_uris"],
                        "token_endpoint_auth_method": "none",
                    }),
                )
            }
            "/authorize" => self.authorize(origin, fields),
            "/device" => {
                let verification = self.faults.verification.clone();
                let usual = || format!("{origin}/type-it-in");
                document(
                    200,
                    &json!({
                        "device_code": "device-code-1", "user_code": "WDJB-\u{1b}MJHT",
                        "verification_uri": verification.unwrap_or_else(usual),
                        "expires_in": 600, "interval": 0,
                    }),
                )
            }
            "/token" => self.token(fields),
            "/revoke" => {
                let gone = field(fields, "token");
                self.access.remove(&gone);
                self.refresh.remove(&gone);
                document(200, &json!({}))
            }
            _ => document(404, &json!({})),
        }
    }

    fn metadata_answer(&self, origin: &str) -> Response<Full<Bytes>> {
        let padding = " ".repeat(self.faults.metadata_padding);
        let answer = Response::builder().status(200).header("content-type", "application/json");
        answer.body(Full::from(padding + &self.metadata(origin).to_string())).unwrap()
    }

    fn metadata(&self, origin: &str) -> Value {
        let faults = &self.faults;
        let issuer = faults.issuer.clone().unwrap_or_else(|| origin.to_owned());
        let mut metadata = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{origin}/authorize"),
            "token_endpoint": format!("{origin}/token"),
            "revocation_endpoint": format!("{origin}/revoke"),
            "authorization_response_iss_parameter_supported": true,
            "token_endpoint_auth_methods_supported": ["none"],
        });
        if !faults.without_s256 {
            metadata["code_challenge_methods_supported"] = json!(["S256"]);
        }
        if faults.device.is_some() {
            metadata["device_authorization_endpoint"] = format!("{origin}/device").into();
        }
        if !faults.without_registration {
            metadata["registration_endpoint"] = format!("{origin}/register").into();
        }
        for (name, endpoint) in &faults.endpoints {
            metadata[name] = endpoint.replace("{origin}", origin).into();
        }
        metadata
    }

    fn authorize(&mut self, origin: &str, fields: &Fields) -> Response<Full<Bytes>> {
        self.count += 1;
        let code = format!("code-{}", self.count);
        let redirect = field(fields, "redirect_uri");
        let given = GivenCode {
            challenge: field(fields, "code_challenge"),
            redirect: redirect.clone(),
            resource: field(fields, "resource"),
            scope: field(fields, "scope"),
        };
        self.codes.insert(code.clone(), given);
        let faults = &self.faults;
        let mut back = url::form_urlencoded::Serializer::new(String::new());
        match &faults.login_error {
            Some(error) => back.append_pair("error", error),
            None => back.append_pair("code", &code),
        };
        if let Some(words) = &faults.login_error_words {
            back.append_pair("error_description", words);
        }
        let state = faults.answered_state.clone().unwrap_or_else(|| field(fields, "state"));
        back.append_pair("state", &state);
        if !faults.forgets_issuer {
            back.append_pair("iss", faults.answered_issuer.as_deref().unwrap_or(origin));
        }
        let place = faults.answered_place.as_ref().unwrap_or(&redirect);
        let more = faults.answered_more.as_deref().unwrap_or_default();
        moved(&format!("{place}?{}{more}", back.finish()))
    }

    pub(super) fn issue(&mut self, scope: String) -> (String, String) {
        self.count += 1;
        let (access, refresh) =
            (format!("access-{}", self.count), format!("refresh-{}", self.count));
        self.access.insert(access.clone(), scope.clone());
        self.refresh.insert(refresh.clone(), scope);
        (access, refresh)
    }

    fn token(&mut self, fields: &Fields) -> Response<Full<Bytes>> {
        if let Some((status, answer)) = &self.faults.token_answer {
            let body = Full::from(answer.clone());
            return Response::builder().status(*status).body(body).unwrap();
        }
        let granted = match field(fields, "grant_type").as_str() {
            "authorization_code" => {
                let given = self.codes.remove(&field(fields, "code"));
                given.filter(|given| given.is_redeemed_by(fields)).map(|given| given.scope)
            }
            "refresh_token" => {
                let shown = field(fields, "refresh_token");
                if self.redeemed.contains(&shown) {
                    self.refresh.clear();
                    self.access.clear();
                }
                let scope = self.refresh.remove(&shown);
                self.redeemed.push(shown);
                scope
            }
            "urn:ietf:params:oauth:grant-type:device_code" => {
                let waiting = self.faults.device.as_mut().filter(|waiting| !waiting.is_empty());
                if let Some(waiting) = waiting {
                    return document(400, &json!({ "error": waiting.remove(0) }));
                }
                (field(fields, "device_code") == "device-code-1").then(String::new)
            }
            _ => None,
        };
        let Some(scope) = granted else {
            return document(400, &json!({ "error": "invalid_grant" }));
        };
        let (access, refresh) = self.issue(scope);
        document(
            200,
            &json!({
                "access_token": access, "refresh_token": refresh, "token_type": "Bearer",
                "expires_in": self.faults.lasts.unwrap_or(3600),
            }),
        )
    }
}

impl GivenCode {
    fn is_redeemed_by(&self, fields: &Fields) -> bool {
        let verifier = Sha256::digest(field(fields, "code_verifier"));
        URL_SAFE_NO_PAD.encode(verifier) == self.challenge
            && self.redirect == field(fields, "redirect_uri")
            && self.resource == field(fields, "resource")
    }
}

fn moved(to: &str) -> Response<Full<Bytes>> {
    Response::builder().status(302).header("location", to).body(Full::default()).unwrap()
}

fn field(fields: &Fields, name: &str) -> String {
    fields.get(name).cloned().unwrap_or_default()
}

fn document(status: u16, document: &Value) -> Response<Full<Bytes>> {
    let answer = Response::builder().status(status).header("content-type", "application/json");
    answer.body(Full::from(document.to_string())).unwrap()
}
