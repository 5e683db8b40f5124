import { join } from 'node:path';
import type { AgentConfig } from '../config.ts';
import { isSystemdInit } from '../host/units/create-runner.ts';
import type { NetworkOptions } from './network.ts';

/** A scope of its own keeps the guard alive when systemd ends what is left of the agent. */
const OWN_SCOPE = ['/usr/bin/systemd-run', '--scope', '--quiet', '--collect', '--'];

/** How this host changes its network. */
export function chooseNetwork(
  { dataDir, runtimeDir, networkRoot, networkDriver }: AgentConfig,
  { env, command }: { readonly env: NodeJS.ProcessEnv; readonly command: readonly string[] },
): Pick<NetworkOptions, 'settings' | 'guardCommand' | 'env'> {
  const isSystemd = isSystemdInit();
  const chosen = isSystemd ? 'netplan' : 'ip';
  return {
    settings: {
      root: networkRoot,
      dataDir: join(dataDir, 'network'),
      lockDir: runtimeDir,
      driver: networkDriver === 'auto' ? chosen : networkDriver,
      prefix: [],
    },
    guardCommand: [...(isSystemd ? OWN_SCOPE : []), ...command, 'network-guard'],
    env,
  };
}
