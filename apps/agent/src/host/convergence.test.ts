import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { expect, test } from 'vitest';
import { Convergence } from './convergence.ts';

const serviceOf = (generation: bigint, runState = fleet.RunState.RUNNING) =>
  create(fleet.DesiredServiceSchema, { generation, runState });

function setUp() {
  const reported: string[] = [];
  const convergence = new Convergence({
    initial: { settled: 0n, word: 'new' },
    settling: ['settled'],
    onStatus: () => reported.push(convergence.status.word),
  });
  return { convergence, reported };
}

test('a pass settles the request that it began with', () => {
  const { convergence } = setUp();
  convergence.want(serviceOf(1n));
  expect(convergence.begin()).toBe(convergence.wanted);
  convergence.report({ settled: 1n });
  expect(convergence.status.settled).toBe(1n);
});

test('a pass that began with an earlier request reports its results and settles nothing', () => {
  const { convergence } = setUp();
  convergence.want(serviceOf(1n));
  convergence.begin();
  convergence.want(serviceOf(2n));
  convergence.report({ settled: 2n, word: 'running' });
  expect(convergence.status).toEqual({ settled: 0n, word: 'running' });
});

test('after a repeated request the same generation is no longer settled', () => {
  const { convergence } = setUp();
  convergence.want(serviceOf(3n));
  convergence.begin();
  convergence.report({ settled: 3n });
  convergence.wantAgain();
  expect(convergence.status.settled).toBe(2n);
  convergence.report({ settled: 3n });
  expect(convergence.status.settled, 'the current pass began earlier').toBe(2n);
  convergence.begin();
  convergence.report({ settled: 3n });
  expect(convergence.status.settled).toBe(3n);
});

test('the current desired state is not a new request, but another run state is', () => {
  const { convergence } = setUp();
  expect(convergence.want(serviceOf(1n))).toBe(true);
  expect(convergence.want(serviceOf(1n))).toBe(false);
  expect(convergence.want(serviceOf(1n, fleet.RunState.STOPPED))).toBe(true);
});

test('only a different status is reported', () => {
  const { convergence, reported } = setUp();
  convergence.report({ word: 'running' });
  convergence.report({ word: 'running' });
  convergence.report({ word: 'ended' });
  expect(reported).toEqual(['running', 'ended']);
});
