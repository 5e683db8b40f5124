import type { AuditWords, RouteContract } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { expect, it } from 'vitest';
import { auditActions } from './action-texts.ts';

const recorded = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('Routes') ? Object.values<RouteContract>(value as never).flatMap(({ audit }) => audit ?? []) : [],
);

const words = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('AuditWords') && typeof value === 'object' ? [value as AuditWords] : [],
);

it('only one feature names an action or a kind of object', () => {
  const names = words.flatMap(({ actions, nouns }) => Object.keys({ ...actions, ...nouns }));
  expect(names.length).toBeGreaterThan(90);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('has words for everything that a route writes into the audit log', () => {
  expect(recorded.length).toBeGreaterThan(100);
  const spelled = (action: string) => action.replaceAll(/[._]/g, ' ');
  expect(recorded.filter((action) => auditActions.toDo(action) === spelled(action))).toEqual([]);
});

it('has no words twice: they are chosen from', () => {
  const words = [...new Set(recorded)].map((action) => auditActions.toDo(action));
  expect(words.filter((one, index) => words.indexOf(one) !== index)).toEqual([]);
});

it.each([
  ['service.create', 'service', 'create service', 'created service'],
  ['maintenance_window.update', null, 'change maintenance window', 'changed maintenance window'],
  ['document.replace', 'virtual_hosts', 'change virtual host', 'changed virtual host'],
  ['document.apply', null, 'apply documents', 'applied documents'],
  ['command.dispatch', 'service', 'send a command to service', 'sent a command to service'],
  ['command.dispatch', null, 'send a command to client', 'sent a command to client'],
  ['client.enrol', 'client', 'enrol client', 'enrolled client'],
  ['job.cancel', 'job', 'cancel job', 'cancelled job'],
  ['job.retry', 'job', 'retry job', 'retried job'],
  ['version.clean_up', 'version', 'clean up proxy version', 'cleaned up proxy version'],
  ['profile.password', 'user', 'change own password', 'changed own password'],
])('says %s of %s as what somebody wants and as what somebody did', (action, type, toDo, did) => {
  expect(auditActions.toDo(action, type)).toBe(toDo);
  expect(auditActions.did(action, type)).toBe(did);
});

it('spells the code of what it does not know', () => {
  expect(auditActions.toDo('newer.thing_done', 'newer')).toBe('newer thing done');
  expect(auditActions.did('listAuditLog')).toBe('list audit log');
});
