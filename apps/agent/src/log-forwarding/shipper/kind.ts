import { err, ok, type Result } from '@flotilla/kit';
import { SHIPPER_DRIVERS, type ShipperDriverName } from '@flotilla/proto/commands';
import type { ForwarderKind, ForwarderProblem } from '../types.ts';
import { maskShipper, parseShipperConfig, type ShipperConfig, secretsOf, type UnplacedConfig } from './config.ts';
import { createFilebeatDriver, findFilebeatGap } from './filebeat-driver.ts';
import { createRsyslogShipper, findRsyslogGap } from './rsyslog-driver.ts';

export interface ShipperPrograms {
  /** Each returns the path of the program, or undefined if it is not installed. */
  readonly find: Readonly<Record<ShipperDriverName, () => Promise<string | undefined>>>;
  readonly dataDir: string;
  readonly flotillaCommand: readonly string[];
  /** The limit of the lines that wait; 1 GiB by default. */
  readonly queueMaxBytes?: number | undefined;
}

const TITLES: Readonly<Record<ShipperDriverName, string>> = { filebeat: 'Filebeat', rsyslog: 'rsyslog' };
const INSTALL: Readonly<Record<ShipperDriverName, string>> = {
  filebeat: 'install the package filebeat of Elastic',
  rsyslog: 'install the package rsyslog',
};
/** Says what a program cannot do. Undefined: it can do what is configured. */
const GAPS: Readonly<Record<ShipperDriverName, (config: UnplacedConfig) => string | undefined>> = {
  filebeat: findFilebeatGap,
  rsyslog: findRsyslogGap,
};

/** LOGSHIPPER: Filebeat or an rsyslog of our own sends logs to a search engine. */
export function createShipperKind(programs: ShipperPrograms): ForwarderKind<ShipperConfig> {
  const { find, dataDir } = programs;
  return {
    async plan(value) {
      const parsed = parseShipperConfig(value);
      if (!parsed.ok) return err({ outcome: 'failed', code: 'forwarder.invalid', message: parsed.error });
      const installed = new Set<ShipperDriverName>();
      for (const name of SHIPPER_DRIVERS) if ((await find[name]()) !== undefined) installed.add(name);
      return chooseDriver(parsed.value, installed);
    },
    async findDriver({ driver }) {
      const program = await find[driver]();
      if (program === undefined) return undefined;
      return driver === 'filebeat'
        ? createFilebeatDriver(program, dataDir)
        : createRsyslogShipper({ ...programs, program });
    },
    mask: maskShipper,
    secretsOf,
  };
}

/** Takes the named program, or the first installed one that can do what is configured. */
export function chooseDriver(
  config: UnplacedConfig,
  installed: ReadonlySet<ShipperDriverName>,
): Result<ShipperConfig, ForwarderProblem> {
  const candidates = config.driver === null ? SHIPPER_DRIVERS : [config.driver];
  const able = candidates.filter((name) => GAPS[name](config) === undefined);
  const chosen = able.find((name) => installed.has(name));
  if (chosen) return ok({ ...config, driver: chosen });
  const why = candidates.map((name) => {
    const gap = GAPS[name](config);
    return gap === undefined ? `${TITLES[name]} is not installed: ${INSTALL[name]}` : `${TITLES[name]} ${gap}`;
  });
  const others = SHIPPER_DRIVERS.filter((name) => !candidates.includes(name) && GAPS[name](config) === undefined);
  const advice = others.map((name) => `${TITLES[name]} can: set driver to ${name} or null`);
  return err({ outcome: 'refused', code: 'client.incapable', message: [...why, ...advice].join('. ') });
}
