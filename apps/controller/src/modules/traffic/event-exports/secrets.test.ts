import { EVENT_EXPORT_ERRORS, type ShownEventExportTarget } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { openTarget, requireUsable, splitTarget } from './secrets.ts';
import { createIdentity } from './testing/identity.ts';

const CODES = Object.keys(EVENT_EXPORT_ERRORS);
const syslog = (more: Partial<Extract<ShownEventExportTarget, { kind: 'syslog' }>> = {}) =>
  ({
    kind: 'syslog',
    host: 'logs.example.com',
    port: 6514,
    protocol: 'tls',
    facility: 'local0',
    app_name: 'flotilla',
    ca_cert: null,
    client_cert: null,
    ...more,
  }) as const;
const NONSENSE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

function refusalOf(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('nothing was refused');
}

describe('the certificates of an export', () => {
  it('are refused if they cannot be read, also behind good ones', async () => {
    const { cert } = await createIdentity();
    for (const ca_cert of [NONSENSE, `${cert}${NONSENSE}`]) {
      const { code, message } = refusalOf(() => requireUsable(syslog({ ca_cert }), undefined));
      expect([CODES.includes(code), message]).toEqual([true, expect.stringContaining('target.ca_cert')]);
    }
    expect(() => requireUsable(syslog({ ca_cert: `${cert}${cert}` }), undefined)).not.toThrow();
  });

  it('need the key that belongs to them, which no message repeats', async () => {
    const [mine, other] = [await createIdentity(), await createIdentity()];
    const target = syslog({ client_cert: mine.cert });
    expect(() => requireUsable(target, mine.key)).not.toThrow();
    const { message } = refusalOf(() => requireUsable(target, other.key));
    expect(message).toContain('target.client_key');
    expect(message).not.toContain(other.key.split('\n')[1]);
  });
});

describe('the secret of an export', () => {
  const keyring = { decrypt: (sealed: Buffer, context: string) => Buffer.from(`${sealed} of ${context}`) };

  it('is separated from what is shown', () => {
    const target = { kind: 'webhook', url: 'https://a.example.com/', format: 'json', ca_cert: null } as const;
    expect(splitTarget({ ...target, secret: 'signs-the-messages' })).toEqual({
      shown: target,
      secret: 'signs-the-messages',
    });
    expect(splitTarget(syslog())).toEqual({ shown: syslog(), secret: undefined });
  });

  it('is bound to the export, and an export without it says what is missing', () => {
    const target = { kind: 'webhook', url: 'https://a.example.com/', format: 'json', ca_cert: null } as const;
    const opened = openTarget(keyring, { id: 'x', target, sealed: Buffer.from('s') });
    expect(opened).toMatchObject({ secret: 's of event_exports/x' });
    const { code, message } = refusalOf(() => openTarget(keyring, { id: 'x', target, sealed: null }));
    expect([code, message]).toEqual(['event_export.secret_needed', expect.stringContaining('target.secret')]);
  });
});
