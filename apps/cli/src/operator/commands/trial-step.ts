import type { SettingTrial } from '@flotilla/contract';
import { printable } from '../output.ts';

/** One line: how far a trial of settings came. */
export function describeStep({ name, ok, message }: SettingTrial['steps'][number]): string {
  return printable(`${ok ? 'ok  ' : 'FAIL'}  ${name}${message === null ? '' : `: ${message}`}`);
}
