import { describe, expect, it } from 'vitest';
import { concludeDeploy } from './deploy-end.ts';
import type { Finding } from './model.ts';

const DONE: Finding = { status: 'done', errorCode: null, errorMessage: null, result: { a: 1 } };
const facts = { isReported: true, isMoving: false, problems: [] as string[] };

describe('a DEPLOY that its client calls done', () => {
  it('is done if every listener serves, or if nothing is known about them', () => {
    expect(concludeDeploy(DONE, facts, false)).toBe(DONE);
    expect(concludeDeploy(DONE, undefined, false)).toBe(DONE);
    expect(concludeDeploy(DONE, { ...facts, isReported: false, isMoving: true }, false)).toBe(DONE);
  });

  it('has failed, with the listener and the reason, if a listener does not serve', () => {
    const problems = ['Listener "web" accepts no connections: Address already in use'];
    expect(concludeDeploy(DONE, { ...facts, problems }, false)).toEqual({
      status: 'failed',
      errorCode: 'listener.not_serving',
      errorMessage: problems[0],
      result: { a: 1 },
    });
    expect(concludeDeploy(DONE, { ...facts, isReported: false, problems }, false)?.status).toBe('failed');
  });

  it('waits while the listeners are being opened, and has failed if they never are', () => {
    const problems = ['an error of the configuration before'];
    expect(concludeDeploy(DONE, { ...facts, isMoving: true }, false)).toBeUndefined();
    expect(concludeDeploy(DONE, { ...facts, isMoving: true, problems }, false)).toBeUndefined();
    expect(concludeDeploy(DONE, { ...facts, isMoving: true }, true)?.errorMessage).toContain('no connections yet');
    expect(concludeDeploy(DONE, { ...facts, isMoving: true, problems }, true)?.errorMessage).toBe(problems[0]);
  });

  it('that failed by itself keeps its own reason', () => {
    const failed: Finding = { ...DONE, status: 'failed', errorCode: 'service.failed', errorMessage: 'no binary' };
    expect(concludeDeploy(failed, { ...facts, isMoving: true, problems: ['x'] }, false)).toBe(failed);
  });
});
