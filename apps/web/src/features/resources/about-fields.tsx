import { TagsInput, Textarea } from '@mantine/core';
import { Facts } from '../../ui/index.ts';
import type { ResourceDraft } from './draft-model.ts';
import { texts } from './texts.tsx';

const text = texts.aboutFields;

export interface AboutFieldsProps {
  readonly draft: ResourceDraft;
  readonly onChange: (draft: ResourceDraft) => void;
  readonly readOnly: boolean;
}

/** Edits description and labels. They are for people and never sent to a proxy. */
export function AboutFields({ draft, onChange, readOnly }: AboutFieldsProps) {
  if (readOnly)
    return (
      <Facts
        facts={[
          [text.description, <bdi key="description">{draft.description || '–'}</bdi>],
          [text.labels, <bdi key="labels">{draft.labels.join(', ') || '–'}</bdi>],
        ]}
      />
    );
  return (
    <>
      <Textarea
        label={text.description}
        description={text.descriptionHint}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={4096}
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
      />
      <TagsInput
        label={text.labels}
        description={text.labelsHint}
        placeholder={draft.labels.length === 0 ? 'key=value' : ''}
        value={[...draft.labels]}
        onChange={(labels) => onChange({ ...draft, labels })}
        splitChars={[',', ' ']}
      />
    </>
  );
}
