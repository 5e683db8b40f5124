import type { SettingTrial } from '@flotilla/contract';
import { printable } from '../output.ts';

/** Formats one step of a trial of settings as a line. */
export function describeStep({ name, ok, message }: SettingTrial['steps'][number]): string {
  return printable(`${ok ? 'ok  ' : 'FAIL'}  ${name}${message === null ? '' : `: ${message}`}`);
}
