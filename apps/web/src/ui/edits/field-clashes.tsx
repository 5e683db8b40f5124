import { Button, Group } from '@mantine/core';
import { Notice } from '../notice.tsx';
import { texts } from '../texts.tsx';
import classes from './field-clashes.module.css';
import type { Clash, Fields, FieldValue } from './field-edits.ts';

const text = texts.fieldClashes;

interface FieldClashesProps<T extends Fields> {
  readonly clashes: readonly Clash<T>[];
  readonly labels: Readonly<Record<keyof T & string, string>>;
  readonly onTakeTheirs: () => void;
  readonly onKeepMine: () => void;
}

/** Shows both values of fields that two users changed, and lets the user choose. Renders nothing without a clash. */
export function FieldClashes<T extends Fields>({ clashes, labels, onTakeTheirs, onKeepMine }: FieldClashesProps<T>) {
  if (clashes.length === 0) return null;
  return (
    <Notice tone="warn" title={text.table.changedMeanwhile}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{text.table.field}</th>
            <th scope="col">{text.table.storedNow}</th>
            <th scope="col">{text.table.yours}</th>
          </tr>
        </thead>
        <tbody>
          {clashes.map(({ field, mine, theirs }) => (
            <tr key={field}>
              <th scope="row">{labels[field]}</th>
              <td>
                <bdi>{show(theirs)}</bdi>
              </td>
              <td>
                <bdi>{show(mine)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Group gap="xs">
        <Button variant="default" size="compact-sm" onClick={onTakeTheirs}>
          {text.table.takeTheirs}
        </Button>
        <Button variant="default" size="compact-sm" onClick={onKeepMine}>
          {text.table.keepMine}
        </Button>
      </Group>
    </Notice>
  );
}

function show(value: FieldValue): string {
  if (value === null || value === '') return '–';
  if (typeof value === 'boolean') return value ? text.value.yes : text.value.no;
  return String(value);
}
