import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServerCertificate } from '@flotilla/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const SECRET = 'a-secret-of-sixteen-and-more';
const stage = shareOwnersTerminal();
const folder = mkdtempSync(join(tmpdir(), 'flotilla-exports-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(argv: string, more: readonly string[] = [], stdin?: string) {
  return stage.terminal.run(['event-exports', ...argv.split(' '), ...more], stdin === undefined ? {} : { stdin });
}

describe('flotilla event-exports', () => {
  it('creates a webhook whose secret comes from standard input, and never shows it', async () => {
    const made = await run('create lake --webhook https://ingest.example.com/x --ndjson', [], SECRET);
    expect(made, made.err).toMatchObject({ code: EXIT.ok, out: 'Event export lake created.\n' });
    const shown = await run('get lake --json');
    expect(JSON.parse(shown.out)).toMatchObject({ target: { format: 'ndjson' }, selection: { min_risk: 50 } });
    expect(shown.out).not.toContain(SECRET);
  });

  it('creates a syslog export with certificates from files, changes its selection, lists and deletes it', async () => {
    const { certificatePem, privateKeyPem } = await createServerCertificate('edge.example.com');
    const [ca, key] = ['ca.pem', 'key.pem'].map((name) => join(folder, name)) as [string, string];
    writeFileSync(ca, certificatePem);
    writeFileSync(key, privateKeyPem);
    const made = await run(`create siem --syslog [2001:db8::1]:6514 --ca ${ca} --cert ${ca} --key ${key}`);
    expect(made, made.err).toMatchObject({ code: EXIT.ok });
    expect((await run('change siem', ['--selection', '{"decisions":["blocked"]}'])).out).toBe(
      'Event export siem changed.\n',
    );
    expect((await run('change siem', ['--selection', '{'])).code).toBe(EXIT.usage);
    expect((await run('change siem --off')).code).toBe(EXIT.ok);
    const { out } = await run('list');
    expect(out).toMatch(/siem +syslog +tls \[2001:db8::1\]:6514 +off/);
    expect(out).not.toContain('PRIVATE KEY');
    const tried = await run('test siem');
    expect(tried.code).toBe(EXIT.failed);
    expect((await run('delete siem')).out).toBe('Event export siem deleted.\n');
  });

  it.each(['create none', 'create bad --syslog nowhere', `create bad --syslog a:1 --ca ${join(folder, 'none.pem')}`])(
    'refuses %s',
    async (argv) => {
      expect((await run(argv)).code).toBe(EXIT.usage);
    },
  );
});
