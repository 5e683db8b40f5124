import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ForwarderStage, newChange } from '../../testing/forwarder-stage.ts';

/**
 * A double of Filebeat, which no registry carries: it has its commands and options, refuses a configuration with the index `refused`
 * and prints it, and does not start with the index `broken`.
 */
function createFilebeat(stage: ForwarderStage): string {
  const path = join(stage.dataDir, 'filebeat');
  const script = `#!/bin/sh
command=$1; shift
[ "$command" = test ] && shift
[ "$1" = -c ] && conf=$2
[ "$3 $5 $7" = "--path.config --path.data --path.logs" ] || { echo "unknown options" >&2; exit 2; }
if [ "$command" = test ]; then
  grep -q "index: refused" "$conf" && { grep password "$conf" >&2; exit 1; }
  echo "Config OK"; exit 0
fi
grep -q "index: broken" "$conf" && { grep password "$conf" >&2; exit 1; }
echo '{"log.level":"info","@timestamp":"2026-11-28T00:00:00.000Z","message":"filebeat start running."}' >&2
exec sleep 600
`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

const config = (index: string, more: Record<string, unknown> = {}) => ({
  ...more,
  filebeat_output: {
    elasticsearch: {
      hosts: ['https://search.example.com'],
      index,
      basic_auth: { username: 'u', password: 'secret-word' },
    },
  },
});

it('Filebeat is preferred, checked, started, and replaced by rsyslog when the configuration names it', async () => {
  const stage = await ForwarderStage.create();
  const { logshipper } = stage.open({ filebeatPrograms: [createFilebeat(stage)] });
  expect(await logshipper.update(config('good'), newChange())).toEqual({ ok: true, value: undefined });
  expect(await logshipper.status()).toMatchObject({ program: 'filebeat', pid: expect.any(Number), counters: null });
  const folder = join(stage.dataDir, 'log-forwarding/logshipper/releases/1');
  const written = parse(readFileSync(join(folder, 'filebeat.yml'), 'utf8'));
  expect(written.output.elasticsearch.password).toBe('secret-word');
  expect(await logshipper.masked()).toMatchObject({ filebeat: { driver: 'filebeat' } });
  expect(await logshipper.update(config('good', { driver: 'rsyslog' }), newChange())).toMatchObject({ ok: true });
  expect(await logshipper.status()).toMatchObject({ program: 'rsyslog', pid: expect.any(Number) });
  expect(stage.units('logshipper')).toEqual(['release-2']);
});

it.each([
  ['refused', 'forwarder.refused'],
  ['broken', 'forwarder.not_started'],
])(
  'a configuration of Filebeat that is %s leaves the host as before, and the reason has no password',
  async (index, code) => {
    const stage = await ForwarderStage.create();
    const { logshipper } = stage.open({ filebeatPrograms: [createFilebeat(stage)] });
    await logshipper.update(config('good'), newChange());
    const before = await logshipper.status();
    const failed = await logshipper.update(config(index), newChange());
    expect(failed).toMatchObject({ ok: false, error: { code, message: expect.stringContaining('[redacted]') } });
    expect(JSON.stringify(failed)).not.toContain('secret-word');
    expect(await logshipper.status()).toMatchObject({
      revision: before.revision,
      error: null,
      pid: expect.any(Number),
    });
  },
);

it('the host keeps its program when a better one is installed later', async () => {
  const stage = await ForwarderStage.create();
  const first = stage.open({ filebeatPrograms: [] });
  await first.logshipper.update(config('good'), newChange());
  expect(await first.logshipper.status()).toMatchObject({ program: 'rsyslog' });
  await first.close('leave');
  const second = stage.open({ filebeatPrograms: [createFilebeat(stage)] });
  expect(await second.logshipper.status()).toMatchObject({ program: 'rsyslog', pid: expect.any(Number) });
});
