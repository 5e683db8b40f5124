import { mayCommand } from '@flotilla/contract';
import { useProject } from '../../../app/project.tsx';
import type { Operation } from './operations.ts';

/** Whether to offer an operation: whether the caller's role may send its command. */
export function useMayOperate(): (operation: Operation) => boolean {
  const { role } = useProject();
  return ({ command }) => mayCommand(role, command);
}
