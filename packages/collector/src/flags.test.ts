import { describe, expect, it } from 'vitest';
import { flagsOf } from './testing/pipeline.ts';

/** The flags of a harmless request. */
const USUAL = ['external_host'];

describe('flags of single requests', () => {
  it('a harmless request has none but the place of its host', () => {
    expect(flagsOf({})).toEqual(USUAL);
  });

  it.each([
    ['plain_text_transport', { tlsVersion: '' }],
    ['weak_tls_version', { tlsVersion: 'TLSv1_1' }],
    ['weak_tls_version', { tlsVersion: 'TLSv1' }],
    ['legacy_protocol', { protocol: 'http/1.1' }],
    ['basic_auth_plaintext', { auth: 'basic', tlsVersion: '' }],
    ['weak_token_ttl', { tokenLifetimeS: 2_592_001 }],
    ['credential_in_query', { signs: ['query_credential'] }],
    ['version_disclosure', { signs: ['banner'] }],
    ['permissive_cors', { signs: ['cors_null'] }],
    ['permissive_cors', { signs: ['cors_any'], authority: 'shop.internal', origin: 'https://evil.example' }],
    ['cors_credentials_wildcard', { signs: ['cors_any', 'cors_credentials'] }],
    ['cookie_missing_secure', { signs: ['cookie_no_secure'] }],
    ['cookie_missing_httponly', { signs: ['cookie_no_httponly'] }],
    ['cookie_samesite_none_insecure', { signs: ['cookie_samesite_none'] }],
    ['missing_hsts', { contentType: 'text/html' }],
    ['missing_csp', { contentType: 'text/html' }],
    ['missing_x_frame_options', { contentType: 'text/html' }],
    ['missing_x_content_type_options', { contentType: 'text/html' }],
    ['unauthenticated', { auth: 'none', method: 'POST' }],
    ['bfla_suspect', { auth: 'none', method: 'DELETE', path: '/admin/users' }],
    ['scanner_user_agent', { userAgent: 'Mozilla/5.0 (compatible) sqlmap/1.8' }],
    ['vuln_probe_path', { path: '/.env', status: 404 }],
    ['vuln_probe_path', { path: '/WP-LOGIN.php', status: 404 }],
    ['vuln_probe_path', { path: '/static/..%2f..%2fetc/passwd', status: 404 }],
    ['sensitive_path_keyword', { path: '/actuator/health' }],
    ['unsafe_method_on_readonly', { method: 'POST', path: '/healthz' }],
    ['pii_observed', { path: '/users/jane.doe@example.com' }],
    ['pii_observed', { queryPii: ['email'] }],
    ['error_status', { status: 503 }],
    ['client_error_status', { status: 404 }],
    ['internal_host', { authority: 'orders.svc.cluster.local' }],
    ['internal_host', { authority: '10.0.0.4:8080' }],
    ['unverified_proxy_tls', { tlsVersion: '', sourceAddress: '10.0.0.9', signs: ['forwarded_https'] }],
  ] as const)('%s follows from %j', (flag, entry) => {
    expect(flagsOf(entry)).toContain(flag);
  });

  it.each([
    ['plain_text_transport', { tlsVersion: '', authority: 'orders' }],
    ['missing_hsts', { contentType: 'application/json' }],
    ['missing_hsts', { contentType: 'text/html', tlsVersion: '' }],
    ['missing_csp', { contentType: 'text/html', status: 404 }],
    ['permissive_cors', { signs: ['cors_any'], origin: 'https://other.example' }],
    ['permissive_cors', { signs: ['cors_any'], authority: 'shop.internal', origin: 'https://shop.internal' }],
    ['unauthenticated', { auth: 'none', method: 'POST', status: 401 }],
    ['unauthenticated', { auth: 'none', method: 'POST', grpcStatus: 16 }],
    ['unauthenticated', { auth: 'none', method: 'POST', action: 'block' }],
    ['unauthenticated', { auth: 'none', method: 'POST', path: '/login' }],
    ['bfla_suspect', { method: 'DELETE', path: '/admin/users' }],
    ['bfla_suspect', { auth: 'none', method: 'POST', path: '/payments/charge' }],
    ['error_status', { status: 503, action: 'block' }],
    ['client_error_status', { status: 403, action: 'block' }],
    ['weak_token_ttl', { tokenLifetimeS: 2_592_000 }],
    ['unsafe_method_on_readonly', { path: '/healthz' }],
    ['vuln_probe_path', { path: '/environment' }],
  ] as const)('%s does not follow from %j', (flag, entry) => {
    expect(flagsOf(entry)).not.toContain(flag);
  });

  it('a proxy that is trusted may claim that the client used HTTPS', () => {
    const entry = { tlsVersion: '', sourceAddress: '10.0.0.9', signs: ['forwarded_https'] } as const;
    const settings = { policy: { trusted_tls_proxy_cidrs: ['10.0.0.0/24'] } };
    expect(flagsOf(entry, { settings })).toEqual(USUAL);
  });

  it.each([
    ['weak_tls_version', { tlsVersion: 'TLSv1' }, { detection: { weak_tls: false } }],
    ['missing_hsts', { contentType: 'text/html' }, { detection: { missing_hsts: false } }],
    ['weak_token_ttl', { tokenLifetimeS: 1e8 }, { detection: { weak_token_ttl_seconds: 0 } }],
    ['pii_observed', { path: '/users/jane@example.com' }, { detection: { detect_pii: false } }],
    ['pii_observed', { queryPii: ['email'] }, { policy: { pii_detectors: { email: false } } }],
  ] as const)('%s can be switched off', (flag, entry, settings) => {
    expect(flagsOf(entry)).toContain(flag);
    expect(flagsOf(entry, { settings })).not.toContain(flag);
  });

  it('a further name of a parameter makes it a credential', () => {
    const entry = { queryNames: ['sig'] };
    expect(flagsOf(entry)).not.toContain('credential_in_query');
    expect(flagsOf(entry, { settings: { policy: { credential_param_names: ['SIG'] } } })).toContain(
      'credential_in_query',
    );
  });

  it('a JSON web token in a link of an e-mail is no finding', () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_def';
    expect(flagsOf({ path: `/files/${token}` })).toContain('pii_observed');
    expect(flagsOf({ path: `/verify/${token}` })).not.toContain('pii_observed');
  });
});
