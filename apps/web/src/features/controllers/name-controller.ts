import type { ControllerView } from '@flotilla/contract';
import { texts } from './texts.ts';

type Named = Pick<ControllerView, 'id' | 'hostname'>;

/**
 * Returns the host name, with the end of the ID if several controllers run on that host. The start of an ID is a time, which two
 * controllers may share.
 */
export function nameController({ hostname, id }: Named, all: readonly Named[]): string {
  const isShared = all.some((other) => other.hostname === hostname && other.id !== id);
  return isShared ? texts.onSharedHost(hostname, id.slice(-8)) : hostname;
}
