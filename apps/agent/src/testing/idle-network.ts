import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { Network, type NetworkOptions } from '../network/network.ts';

/** The network of an agent that gets no commands about it. Its programs cannot be started. */
export function idleNetworkOptions(dir: string): Pick<NetworkOptions, 'settings' | 'guardCommand' | 'env'> {
  const dataDir = join(dir, 'network');
  const prefix = [join(dir, 'no-program')];
  return { settings: { root: dir, dataDir, lockDir: dir, driver: 'ip', prefix }, guardCommand: prefix, env: {} };
}

export function createIdleNetwork(dir: string): Network {
  const reachController = () => Promise.reject(new Error('there is no controller'));
  return new Network({ ...idleNetworkOptions(dir), reachController, logger: createSilentLogger() });
}
