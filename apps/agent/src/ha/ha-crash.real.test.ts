import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJsonString } from '@bufbuild/protobuf';
import { selectForTier } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { describe, expect, test } from 'vitest';
import { HaStage, pairedState, UNPAIRED } from '../testing/ha-stage.ts';

const PROGRAM = join(import.meta.dirname, '../testing/ha-process.ts');

/** Runs the agent's part until the host is as the state says, or until it kills itself at the step. */
async function run(stage: HaStage, state: fleet.DesiredState, killAt = ''): Promise<void> {
  const args = [PROGRAM, stage.dataDir, toJsonString(fleet.DesiredStateSchema, state), killAt];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect([code, signal]).toEqual(killAt === '' ? [0, null] : [null, 'SIGKILL']);
}

const starts = (stage: HaStage) => stage.orders.filter((order) => order === 'started').length;

describe('kill -9 of an agent that joins a pair', () => {
  test.each(selectForTier(['writing', 'written', 'starting', 'started'], 2))(
    'at the step %s leaves one daemon with the newest configuration after the restart',
    async (step) => {
      const stage = await HaStage.create();
      await run(stage, pairedState(1n), step);
      await run(stage, pairedState(1n));
      expect(stage.file).toMatchObject({ config_rev: 1 });
      expect(stage.fileMode).toBe(0o600);
      expect(starts(stage)).toBe(1);
    },
  );
});

describe('kill -9 of an agent that changes a pair', () => {
  test.each(['writing', 'written'])(
    'at the step %s leaves the running daemon alone, and the change arrives after the restart',
    async (step) => {
      const stage = await HaStage.create();
      await run(stage, pairedState(1n));
      const { pid } = stage;
      await run(stage, pairedState(2n), step);
      expect(stage.file).toMatchObject({ config_rev: step === 'written' ? 2 : 1 });
      await run(stage, pairedState(2n));
      expect(stage.file).toMatchObject({ config_rev: 2 });
      expect([stage.pid, starts(stage)]).toEqual([pid, 1]);
    },
  );

  test('in the middle of the file leaves no copy of the secrets behind', async () => {
    const stage = await HaStage.create();
    await run(stage, pairedState(1n));
    // A writer that is killed before it renames leaves this.
    writeFileSync(`${stage.places.configFile}.0123abcd.tmp`, 'a secret');
    await run(stage, pairedState(1n));
    expect(readdirSync(stage.places.dir).toSorted()).toEqual(['daemon', 'logs', 'pair.json']);
  });
});

describe('kill -9 of an agent that leaves a pair', () => {
  test.each(selectForTier(['removing', 'removed', 'stopping', 'stopped'], 2))(
    'at the step %s leaves neither file nor daemon after the restart',
    async (step) => {
      const stage = await HaStage.create();
      await run(stage, pairedState(1n));
      await run(stage, UNPAIRED, step);
      await run(stage, UNPAIRED);
      expect(stage.file).toBeUndefined();
      expect(stage.pid).toBeUndefined();
      expect(stage.orders.filter((order) => order === 'released')).toHaveLength(1);
    },
  );
});
