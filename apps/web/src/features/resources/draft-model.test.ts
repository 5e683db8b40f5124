import { describe, expect, it } from 'vitest';
import {
  followName,
  fromMergeText,
  isSameDraft,
  type ResourceDraft,
  rename,
  toBody,
  toDraft,
  toMergeText,
} from './draft-model.ts';

const stored = {
  resource: { name: 'a', connect_timeout: '1s' },
  description: null,
  labels: { tier: 'edge', note: 'a=b' },
};

describe('a draft', () => {
  it('of a stored document has the same content', () => {
    expect(toBody(toDraft(stored))).toEqual(stored);
  });

  it('is the same after it is converted to the text for a merge and back', () => {
    const draft: ResourceDraft = { ...toDraft(stored), description: 'for the edge' };
    expect(fromMergeText(toMergeText(draft))).toEqual(draft);
  });

  it('cannot be created from a text that is no document', () => {
    expect(fromMergeText('[]')).toBeUndefined();
    expect(fromMergeText('{"resource": 5}')).toBeUndefined();
  });

  it('with invalid code differs from the stored document', () => {
    const draft = toDraft(stored);
    expect(isSameDraft(draft, toDraft(stored))).toBe(true);
    expect(isSameDraft({ ...draft, brokenText: { language: 'json', text: '{' } }, toDraft(stored))).toBe(false);
    expect(isSameDraft({ ...draft, description: 'x' }, toDraft(stored))).toBe(false);
  });
});

describe('the name of a document', () => {
  it('is the one that was last written in it', () => {
    expect(followName('', 'clusters', {}, { name: 'a' })).toBe('a');
    expect(followName('edge/old', 'virtual_hosts', { name: 'old' }, { name: 'new' })).toBe('edge/new');
    expect(followName('a', 'endpoints', { cluster_name: 'a' }, { cluster_name: 'b' })).toBe('b');
  });

  it('stays when something else is edited, and if the message has no name field', () => {
    expect(followName('typed', 'clusters', { name: 'a' }, { name: 'a', type: 'EDS' })).toBe('typed');
    expect(followName('typed', 'clusters', { name: 'a' }, {})).toBe('typed');
    expect(followName('typed', 'filters', {}, { name: 'a' })).toBe('typed');
  });
});

describe('a copy', () => {
  it('has its new name if the message has a name field', () => {
    expect(rename({ name: 'a', type: 'EDS' }, 'clusters', 'b')).toEqual({ name: 'b', type: 'EDS' });
    expect(rename({ cluster_name: 'a' }, 'endpoints', 'b')).toEqual({ cluster_name: 'b' });
    expect(rename({ name: 'old.example' }, 'virtual_hosts', 'edge/new.example')).toEqual({ name: 'new.example' });
    expect(rename({ name: 'kept' }, 'filters', 'b')).toEqual({ name: 'kept' });
  });
});
