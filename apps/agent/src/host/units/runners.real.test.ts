import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { describeUnitRunner } from './runner.suite.ts';
import { Supervisor } from './supervisor.ts';
import { FakeSystemd } from './systemd.fake.ts';
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
