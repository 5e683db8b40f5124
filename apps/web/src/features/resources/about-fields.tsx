import { TagsInput, Textarea } from '@mantine/core';
import { Facts } from '../../ui/index.ts';
import type { ResourceDraft } from './draft-model.ts';

export interface AboutFieldsProps {
  readonly draft: ResourceDraft;
  readonly onChange: (draft: ResourceDraft) => void;
  readonly readOnly: boolean;
}

/** Description and labels: for people, never sent to a proxy. */
export function AboutFields({ draft, onChange, readOnly }: AboutFieldsProps) {
  if (readOnly)
    return (
      <Facts
        facts={[
          ['Description', <bdi key="description">{draft.description || '–'}</bdi>],
          ['Labels', <bdi key="labels">{draft.labels.join(', ') || '–'}</bdi>],
        ]}
      />
    );
  return (
    <>
      <Textarea
        label="Description"
        autosize
        minRows={1}
        maxRows={6}
        maxLength={4096}
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
      />
      <TagsInput
        label="Labels"
        placeholder={draft.labels.length === 0 ? 'key=value' : ''}
        value={[...draft.labels]}
        onChange={(labels) => onChange({ ...draft, labels })}
        splitChars={[',', ' ']}
      />
    </>
  );
}
