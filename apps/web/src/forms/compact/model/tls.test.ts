import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import { parseProtocols, readTls, type TlsSide, writeAlpn, writeMinimum, writeRequired, writeSni } from './tls.ts';
import { addCertificate, removeCertificate, writeCertificate, writeTrust } from './tls-secrets.ts';

const ADS = { ads: {}, resource_api_version: 'V3' };
const sds = (name: string, more: object = {}) => ({ name, sds_config: ADS, ...more });
const certificates = (...items: object[]): JsonObject =>
  ({ common_tls_context: { tls_certificate_sds_secret_configs: items } }) as JsonObject;
const common = (fields: object, more: object = {}): JsonObject =>
  ({ common_tls_context: fields, ...more }) as JsonObject;

function settingsOf(value: JsonObject | undefined, side: TlsSide = 'downstream') {
  const found = readTls(value, side);
  if (!found.isSimple) throw new Error(found.reason);
  return found.settings;
}

const messagesOf = (value: JsonObject, side: TlsSide = 'downstream') =>
  settingsOf(value, side).problems.map(({ message }) => message);
const hintsOf = (value: JsonObject, side: TlsSide = 'downstream') =>
  settingsOf(value, side).hints.map(({ message }) => message);

describe('the TLS context of a listener', () => {
  it('has certificates, authorities, a requirement, a version and protocols', () => {
    const context = {
      common_tls_context: {
        tls_certificate_sds_secret_configs: [sds('site'), sds('site-ecdsa')],
        validation_context_sds_secret_config: sds('clients'),
        tls_params: { tls_minimum_protocol_version: 'TLSv1_3' },
        alpn_protocols: ['h2', 'http/1.1'],
      },
      require_client_certificate: true,
    };
    expect(settingsOf(context)).toEqual({
      certificates: { kind: 'stored', names: ['site', 'site-ecdsa'] },
      trust: { kind: 'stored', names: ['clients'] },
      isRequired: true,
      minimum: 'TLSv1_3',
      alpn: ['h2', 'http/1.1'],
      sni: '',
      others: [],
      problems: [],
      hints: [],
    });
  });

  it('is read in the spelling of proto-JSON, with versions as numbers', () => {
    const context = {
      commonTlsContext: {
        tlsCertificateSdsSecretConfigs: [{ name: 'site', sdsConfig: ADS }],
        tlsParams: { tlsMinimumProtocolVersion: 3 },
        alpnProtocols: ['h2'],
      },
      requireClientCertificate: false,
    };
    expect(settingsOf(context)).toMatchObject({ minimum: 'TLSv1_2', alpn: ['h2'], problems: [], others: [] });
    expect(writeMinimum(context, 'TLSv1_3').commonTlsContext).toMatchObject({
      tlsParams: { tlsMinimumProtocolVersion: 'TLSv1_3' },
    });
    expect(writeCertificate(context, 0, 'other').commonTlsContext).toMatchObject({
      tlsCertificateSdsSecretConfigs: [{ name: 'other', sdsConfig: ADS }],
    });
  });

  it('needs a certificate, and authorities if it requires one of clients', () => {
    expect(messagesOf({})).toEqual(['A certificate is required.']);
    expect(messagesOf({ ...certificates(sds('a')), require_client_certificate: true })).toEqual([
      'Without authorities, every client certificate is accepted.',
    ]);
    expect(messagesOf(certificates(sds('a'), sds('a')))).toEqual(['The secret a is chosen twice.']);
    expect(messagesOf(certificates({ sds_config: ADS }))).toEqual(['The name of the secret is required.']);
  });

  it('says that clients without a certificate are accepted if none is required', () => {
    const context = writeTrust(certificates(sds('a')), 'clients');
    expect(hintsOf(context)).toEqual(['Clients without a certificate are accepted, too.']);
    expect(hintsOf(writeRequired(context, true))).toEqual([]);
    expect(hintsOf(certificates(sds('a')))).toEqual([]);
  });

  it('does not accept a version that is newer than its newest one', () => {
    const params = { tls_minimum_protocol_version: 'TLSv1_3', tls_maximum_protocol_version: 'TLSv1_2' };
    const context = common({ ...(certificates(sds('a')).common_tls_context as object), tls_params: params });
    expect(messagesOf(context)).toEqual(['The newest accepted version is TLSv1_2.']);
    expect(settingsOf(context).others).toEqual(['tls_maximum_protocol_version']);
    expect(messagesOf(writeMinimum(context, 'TLS_AUTO'))).toEqual([]);
  });

  it('keeps a version that it does not know', () => {
    expect(settingsOf(common({ tls_params: { tls_minimum_protocol_version: 'TLSv1_9' } })).minimum).toBe('TLSv1_9');
    expect(settingsOf(common({ tls_params: { tls_minimum_protocol_version: 9 } })).minimum).toBe('9');
  });
});

describe('the TLS context of a cluster', () => {
  it('has a server name, authorities and a certificate', () => {
    let context: JsonObject = writeSni({}, 'www.example.com');
    context = writeTrust(context, 'authorities');
    context = writeCertificate(context, 0, 'client');
    expect(context).toEqual({
      sni: 'www.example.com',
      common_tls_context: {
        validation_context_sds_secret_config: sds('authorities'),
        tls_certificate_sds_secret_configs: [sds('client')],
      },
    });
    expect(settingsOf(context, 'upstream')).toMatchObject({ sni: 'www.example.com', others: [], problems: [] });
  });

  it('says what is not verified', () => {
    const accepting = ['Any certificate of these authorities is accepted, whatever its name is.'];
    expect(hintsOf({}, 'upstream')).toEqual(['The certificate of the server is not verified.']);
    expect(hintsOf(writeTrust({}, 'a'), 'upstream')).toEqual(accepting);
    expect(hintsOf({ ...writeTrust({}, 'a'), auto_sni_san_validation: true }, 'upstream')).toEqual([]);
    const rules = { match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: 'a.example.com' } }] };
    const combined = { default_validation_context: rules, validation_context_sds_secret_config: sds('a') };
    expect(hintsOf(common({ combined_validation_context: combined }), 'upstream')).toEqual([]);
    const empty = { ...combined, default_validation_context: {} };
    expect(hintsOf(common({ combined_validation_context: empty }), 'upstream')).toEqual(accepting);
  });

  it('does not accept a server name that Envoy refuses', () => {
    expect(messagesOf({ sni: 'ä'.repeat(128) }, 'upstream')).toEqual(['A server name has at most 255 bytes.']);
    expect(messagesOf({ sni: 'a b' }, 'upstream')).toEqual(['A server name contains no spaces.']);
  });

  it('lists the settings of a listener among those that it does not show', () => {
    const context = common(
      { alpn_protocols: ['h2'], tls_params: { cipher_suites: ['x'] }, key_log: {} },
      { max_session_keys: 2 },
    );
    expect(settingsOf(context, 'upstream').others).toEqual([
      'max_session_keys',
      'alpn_protocols',
      'key_log',
      'cipher_suites',
    ]);
  });
});

describe('what the editor cannot show', () => {
  it('is kept and named: certificates, rules and providers in the document, and secrets of other sources', () => {
    const file = { path_config_source: { path: '/etc/sds.yaml' } };
    const kept = (fields: object) => {
      const { certificates: own, trust } = settingsOf(common(fields));
      return [own, trust].flatMap((source) => (source.kind === 'kept' ? [source.what] : []));
    };
    expect(kept({ tls_certificates: [{}] })).toEqual(['1 certificate written in the document']);
    expect(kept({ tls_certificates: [] })).toEqual([]);
    expect(kept({ tls_certificate_provider_instance: {} })).toEqual(['a provider of certificates']);
    expect(kept({ tls_certificate_sds_secret_configs: [sds('a'), { name: 'b', sds_config: file }] })).toEqual([
      'a secret of another source',
    ]);
    expect(kept({ validation_context: {} })).toEqual(['rules written in the document']);
    expect(kept({ combined_validation_context: { default_validation_context: {} } })).toEqual([
      'rules written in the document',
    ]);
    expect(kept({ validation_context_sds_secret_config: { name: 'b', sds_config: file } })).toEqual([
      'a secret of another source',
    ]);
    expect(kept({ validation_context_certificate_provider: {} })).toEqual(['a provider of authorities']);
  });

  it('stays when the rest changes', () => {
    const context = common(
      {
        tls_certificates: [{ certificate_chain: { filename: 'a' } }],
        tls_params: { ecdh_curves: ['X25519'] },
        unknown: 1,
      },
      { require_sni: true, '@type': 'type.googleapis.com/x' },
    );
    const changed = writeAlpn(writeMinimum(writeRequired(context, true), 'TLSv1_3'), ['h2']);
    expect(changed).toEqual({
      common_tls_context: {
        tls_certificates: [{ certificate_chain: { filename: 'a' } }],
        tls_params: { ecdh_curves: ['X25519'], tls_minimum_protocol_version: 'TLSv1_3' },
        unknown: 1,
        alpn_protocols: ['h2'],
      },
      require_sni: true,
      '@type': 'type.googleapis.com/x',
      require_client_certificate: true,
    });
    expect(settingsOf(changed).others).toEqual(['require_sni', 'unknown', 'ecdh_curves']);
    expect(writeAlpn(writeMinimum(writeRequired(changed, false), 'TLS_AUTO'), [])).toEqual(context);
  });

  it('makes the editor refuse a context whose values have wrong types', () => {
    const wrong: unknown[] = [
      'text',
      [],
      { $ref: 'extensions/tls' },
      common({ $ref: 'extensions/tls' }),
      { common_tls_context: 'x' },
      common({ tls_params: [] }),
      common({ tls_certificates: {} }),
      common({ tls_certificate_sds_secret_configs: 'a' }),
      common({ tls_certificate_sds_secret_configs: ['a'] }),
      common({ tls_certificate_sds_secret_configs: [{ $ref: 'extensions/x' }] }),
      common({ validation_context_sds_secret_config: 'a' }),
      common({ combined_validation_context: 'a' }),
      common({ alpn_protocols: 'h2' }),
      common({ alpn_protocols: [2] }),
      common({ alpn_protocols: ['h2,http/1.1'] }),
      common({ tls_params: { tls_minimum_protocol_version: {} } }),
      { require_client_certificate: 'yes' },
      { sni: 1 },
    ];
    for (const value of wrong)
      expect(readTls(value as JsonObject, 'upstream').isSimple, JSON.stringify(value)).toBe(false);
    expect(settingsOf(undefined)).toMatchObject({ alpn: [] });
  });
});

describe('the names of secrets', () => {
  it('come and go with their usual source, so that an empty control is no certificate', () => {
    const one = writeCertificate({ require_sni: true }, 0, 's');
    expect(one).toEqual({ require_sni: true, ...certificates(sds('s')) });
    expect(writeCertificate(one, 0, '')).toEqual({ require_sni: true, common_tls_context: {} });
    expect(writeTrust(writeTrust({}, 's'), '')).toEqual({ common_tls_context: {} });
  });

  it('are added and removed at their places', () => {
    const two = addCertificate(certificates(sds('a')));
    expect(two).toEqual(certificates(sds('a'), { sds_config: ADS }));
    const named = writeCertificate(two, 1, 'b');
    expect(named).toEqual(certificates(sds('a'), sds('b')));
    expect(writeCertificate(named, 0, '')).toEqual(certificates({ sds_config: ADS }, sds('b')));
    expect(removeCertificate(named, 0)).toEqual(certificates(sds('b')));
    expect(removeCertificate(certificates(sds('a')), 0)).toEqual({ common_tls_context: {} });
  });

  it('keep the other settings of their source', () => {
    const patient = { ...ADS, initial_fetch_timeout: '30s' };
    const context = certificates({ name: 'a', sds_config: patient });
    expect(settingsOf(context).others).toEqual(['initial_fetch_timeout']);
    const cleared = writeCertificate(context, 0, '');
    expect(cleared).toEqual(certificates({ sds_config: patient }));
    expect(writeCertificate(cleared, 0, 'b')).toEqual(certificates({ name: 'b', sds_config: patient }));
  });

  it('of static secrets have no source, and get none', () => {
    const context = certificates({ name: 'static' });
    expect(settingsOf(context).certificates).toEqual({ kind: 'stored', names: ['static'] });
    expect(writeCertificate(writeCertificate(context, 0, ''), 0, 'other')).toEqual(certificates({ name: 'other' }));
  });

  it('that are combined with rules keep the rules', () => {
    const combined = {
      default_validation_context: { only_verify_leaf_cert_crl: true },
      validation_context_sds_secret_config: sds('a'),
    };
    const context = common({ combined_validation_context: combined });
    expect(settingsOf(context).trust).toEqual({ kind: 'stored', names: ['a'] });
    expect(settingsOf(context).others).toEqual(['default_validation_context']);
    const cleared = writeTrust(context, '');
    expect(messagesOf(cleared, 'upstream')).toEqual(['The name of the secret is required.']);
    expect(writeTrust(cleared, 'b')).toEqual(
      common({ combined_validation_context: { ...combined, validation_context_sds_secret_config: sds('b') } }),
    );
  });
});

it('parseProtocols splits at commas and spaces', () => {
  expect(parseProtocols(' h2,http/1.1  , ')).toEqual(['h2', 'http/1.1']);
  expect(writeAlpn(common({ alpn_protocols: ['h2'] }), ['h2'])).toEqual(common({ alpn_protocols: ['h2'] }));
});
