import { createId } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const SECRET = 'a-secret-of-sixteen-and-more';
const CONDITION = '{"kind":"error_share","above_percent":5,"window_s":300,"min_requests":20}';

const stage = shareOwnersTerminal();

async function run(argv: string, more: readonly string[] = [], stdin?: string) {
  return stage.terminal.run(['alerts', ...argv.split(' '), ...more], stdin === undefined ? {} : { stdin });
}
async function read(argv: string) {
  const answer = await run(`${argv} --json`);
  expect(answer.code, answer.err).toBe(EXIT.ok);
  return JSON.parse(answer.out);
}

async function addAlert(): Promise<string> {
  const id = createId();
  await stage.t.database.db
    .insertInto('alerts')
    .values({
      id,
      project_id: stage.t.project,
      rule_id: null,
      rule_name: 'errors',
      condition: 'error_share',
      severity: 'critical',
      fingerprint: id,
      state: 'firing',
      subject_kind: 'service',
      subject_id: createId(),
      subject_name: 'web',
      summary: '50 % of 100 responses are 5xx.',
      since: new Date(),
      fired_at: new Date(),
      acknowledged_by: null,
      silenced_by: null,
    })
    .execute();
  return id;
}

describe('flotilla alerts', () => {
  it('creates channels, reads their secrets from standard input, and never shows them', async () => {
    expect(await run('channels create pager --webhook https://hooks.example.com/x', [], SECRET)).toMatchObject({
      code: EXIT.ok,
      out: 'Alert channel pager created.\n',
    });
    expect((await run('channels create ops --email ops@example.com --email night@example.com')).code).toBe(EXIT.ok);
    expect(await read('channels get ops')).toMatchObject({
      target: { kind: 'email', recipients: ['ops@example.com', 'night@example.com'] },
    });
    const shown = await run('channels list --json');
    expect(JSON.parse(shown.out).items).toHaveLength(2);
    expect(shown.out).not.toContain(SECRET);
    expect((await run('channels create none')).code).toBe(EXIT.usage);
    expect((await run('channels change pager --off')).out).toBe('Alert channel pager changed.\n');
    expect(await read('channels get pager')).toMatchObject({ enabled: false });
  });

  it('creates rules over traffic, changes, silences and deletes them', async () => {
    const made = await run('rules create errors --severity critical --for 2m --channel ops', [
      '--condition',
      CONDITION,
    ]);
    expect(made, made.err).toMatchObject({ code: EXIT.ok, out: 'Alert rule errors created.\n' });
    expect(await read('rules get errors')).toMatchObject({ for_s: 120, condition: JSON.parse(CONDITION) });
    expect((await run('rules list')).out).toMatch(/errors +error_share +critical/);
    const wrong = CONDITION.replace('300', '90');
    expect((await run('rules create bad', ['--condition', wrong])).code).not.toBe(EXIT.ok);
    expect((await run('rules create bad', ['--condition', '{'])).code).toBe(EXIT.usage);
    expect((await run('rules create lost --condition client_offline')).code).toBe(EXIT.ok);
    expect((await run('rules change lost --repeat 4h --name away')).out).toBe('Alert rule away changed.\n');
    expect(await read('rules get away')).toMatchObject({ repeat_s: 14_400 });
    expect((await run('rules silence errors --until 2h')).out).toMatch(/^Alert rule errors is silenced until 20/);
    expect((await run('rules silence errors --until', [''])).out).toBe('Alert rule errors is not silenced.\n');
    expect((await run('channels delete ops')).code).toBe(EXIT.conflict);
    expect((await run('rules delete errors')).out).toBe('Alert rule errors deleted.\n');
    expect((await run('channels delete ops')).code).toBe(EXIT.ok);
    expect((await run('rules get errors')).code).toBe(EXIT.notFound);
  });

  it('lists, acknowledges and silences alerts', async () => {
    const alert = await addAlert();
    expect((await run('list --state firing')).out).toMatch(/critical +firing +service web +errors/);
    expect(await read('summary')).toMatchObject({ firing: 1, critical: 1 });
    expect((await run(`acknowledge ${alert}`)).out).toBe('The alert about web is acknowledged.\n');
    expect((await run(`unacknowledge ${alert}`)).out).toBe('The alert about web is not acknowledged any more.\n');
    expect((await run(`silence ${alert} --until 1h`)).out).toMatch(/^Alert about web is silenced until 20/);
    expect((await run(`acknowledge ${createId()}`)).code).toBe(EXIT.notFound);
  });
});
