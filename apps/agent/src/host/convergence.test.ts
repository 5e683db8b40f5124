import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { expect, test } from 'vitest';
import { Convergence } from './convergence.ts';

const serviceOf = (generation: bigint, runState = fleet.RunState.RUNNING) =>
  create(fleet.DesiredServiceSchema, { generation, runState });

function setUp() {
  const told: string[] = [];
  const convergence = new Convergence({
    initial: { settled: 0n, word: 'new' },
    settling: ['settled'],
    onStatus: () => told.push(convergence.status.word),
  });
  return { convergence, told };
}

test('a pass settles the wish that it began with', () => {
  const { convergence } = setUp();
  convergence.want(serviceOf(1n));
  expect(convergence.begin()).toBe(convergence.wanted);
  convergence.tell({ settled: 1n });
  expect(convergence.status.settled).toBe(1n);
});

test('a pass that began with an earlier wish tells what it finds and settles nothing', () => {
  const { convergence } = setUp();
  convergence.want(serviceOf(1n));
  convergence.begin();
  convergence.want(serviceOf(2n));
  convergence.tell({ settled: 2n, word: 'running' });
  expect(convergence.status).toEqual({ settled: 0n, word: 'running' });
});

test('a wish again of the same generation is not settled any more', () => {
  const { convergence } = setUp();
  convergence.want(serviceOf(3n));
  convergence.begin();
  convergence.tell({ settled: 3n });
  convergence.wantAgain();
  expect(convergence.status.settled).toBe(2n);
  convergence.tell({ settled: 3n });
  expect(convergence.status.settled, 'the pass under way began before').toBe(2n);
  convergence.begin();
  convergence.tell({ settled: 3n });
  expect(convergence.status.settled).toBe(3n);
});

test('what is wanted already is no new wish, but another run state is one', () => {
  const { convergence } = setUp();
  expect(convergence.want(serviceOf(1n))).toBe(true);
  expect(convergence.want(serviceOf(1n))).toBe(false);
  expect(convergence.want(serviceOf(1n, fleet.RunState.STOPPED))).toBe(true);
});

test('only a status that differs is told', () => {
  const { convergence, told } = setUp();
  convergence.tell({ word: 'running' });
  convergence.tell({ word: 'running' });
  convergence.tell({ word: 'ended' });
  expect(told).toEqual(['running', 'ended']);
});
