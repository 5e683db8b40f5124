import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { FakeSystemd } from '../../testing/fake-systemd.ts';
import { describeUnitRunner } from './runner.suite.ts';
import { Supervisor } from './supervisor.ts';
import { SystemdRunner } from './systemd.ts';

const logger = createSilentLogger();

describeUnitRunner('the own supervisor', (dir) => ({
  open: () => new Supervisor({ dataDir: join(dir, 'data'), logger }),
}));

describeUnitRunner('systemd', (dir) => {
  const unitDir = join(dir, 'systemd');
  mkdirSync(unitDir);
  const { systemctl } = new FakeSystemd(unitDir);
  return { open: () => new SystemdRunner({ dataDir: join(dir, 'data'), logger, unitDir, systemctl }) };
});
