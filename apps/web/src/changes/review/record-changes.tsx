import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { ChangeList, DiffView } from '../lazy-editor.tsx';
import type { RecordChange, TextChange } from '../plan.ts';
import { texts } from '../texts.tsx';
import { listMembers, outsideMembers } from './split-changes.ts';

const text = texts.review.changes;

/** Shows the changes of one record: as text in the language of the editor, or as a list. */
export function RecordChanges({ change: { diff, text: change } }: { readonly change: RecordChange }) {
  const [isList, setList] = useState(false);
  const differences = listMembers(diff);
  if (!change || change.before === change.after) return <ChangeList changes={differences} />;
  const others = outsideMembers(differences, change.members);
  // Otherwise the text changes in a way that the list does not show, such as a comment.
  const hasList = differences.length > others.length;
  return (
    <Stack gap="xs">
      {hasList && (
        <SegmentedControl
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          aria-label={text.view}
          value={isList ? 'list' : 'text'}
          onChange={(view) => setList(view === 'list')}
          data={[
            { value: 'text', label: text.languages[change.language] },
            { value: 'list', label: text.list(differences.length) },
          ]}
        />
      )}
      {hasList && isList ? (
        <ChangeList changes={differences} />
      ) : (
        <>
          <TextDiff change={change} />
          {others.length > 0 && <ChangeList changes={others} />}
        </>
      )}
    </Stack>
  );
}

function TextDiff({ change }: { readonly change: TextChange }) {
  const { before, after, language, beforeLabel, afterLabel = text.afterLabel } = change;
  return <DiffView {...{ before, after, language, beforeLabel, afterLabel }} />;
}
