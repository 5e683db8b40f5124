import { mayCommand } from '@flotilla/contract';
import { useProject } from '../../../app/project.tsx';
import type { Operation } from './operations.ts';

/** Returns whether to offer an operation: whether the user's role may send its command. */
export function useMayOperate(): (operation: Operation) => boolean {
  const { role } = useProject();
  return ({ command }) => mayCommand(role, command);
}
