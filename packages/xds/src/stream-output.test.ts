import { expect, it } from 'vitest';
import { RESOURCE_TYPE } from './resource-type.ts';
import { StreamOutput } from './stream-output.ts';

const { cluster, listener } = RESOURCE_TYPE;

/** An output with this many responses per type, and a transport that is full after `room` of them. */
function setUp(waiting: Record<string, number>, room = Infinity) {
  const sent: string[] = [];
  const output = new StreamOutput((typeUrl) => {
    const left = waiting[typeUrl] ?? 0;
    if (left === 0) return 'nothing';
    waiting[typeUrl] = left - 1;
    sent.push(typeUrl);
    return sent.length % room === 0 ? 'full' : 'taken';
  });
  return { output, sent, waiting };
}

it('flush sends all marked types, dependencies first', () => {
  const { output, sent } = setUp({ [cluster]: 2, [listener]: 1 });
  output.mark(listener);
  output.mark(cluster);
  output.flush();
  expect(sent).toEqual([cluster, cluster, listener]);
});

it('marks are kept while the transport is full, and sent when it has room again', () => {
  const { output, sent, waiting } = setUp({ [cluster]: 2 }, 1);
  output.mark(cluster);
  output.flush();
  expect(sent).toEqual([cluster]);
  waiting[listener] = 1;
  output.mark(listener);
  output.flush();
  expect(sent).toEqual([cluster]);
  output.resume();
  output.resume();
  expect(sent).toEqual([cluster, cluster, listener]);
});

it('nothing is sent while the output is held, even if a flush is requested', () => {
  const { output, sent } = setUp({ [cluster]: 1 });
  output.holdDuring(() => {
    output.mark(cluster);
    output.flush();
    expect(sent).toEqual([]);
  });
  expect(sent).toEqual([cluster]);
});

it('nothing is sent after close', () => {
  const { output, sent } = setUp({ [cluster]: 1 });
  output.close();
  output.mark(cluster);
  output.flush();
  expect(sent).toEqual([]);
});
