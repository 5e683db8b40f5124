import { memo } from 'react';
import { isList, isObject } from '../model/json.ts';
import { kindOf } from '../model/well-known.ts';
import { AnyRow } from './any-row.tsx';
import { InlineRow } from './inline-row.tsx';
import { ListRow } from './list-row.tsx';
import { MapRow } from './map-row.tsx';
import { NestedRow } from './nested-row.tsx';
import { RawRow } from './raw-row.tsx';
import type { RowProps } from './row-props.ts';

/** Renders one field, item or value by its kind. Memoised: renders again only when its dependencies change. */
export const FieldRow = memo(function FieldRow(props: RowProps) {
  const { field, value } = props;
  const isAbsent = value === undefined || value === null;
  if (field.shape === 'list') {
    return isAbsent || isList(value) ? (
      <ListRow {...props} />
    ) : (
      <RawRow {...props} reason="Not a list, as it should be." />
    );
  }
  if (field.shape === 'map') {
    return isAbsent || isObject(value) ? (
      <MapRow {...props} />
    ) : (
      <RawRow {...props} reason="Not a map, as it should be." />
    );
  }
  const kind = kindOf(field.value);
  if (kind.kind !== 'message' && kind.kind !== 'any') return <InlineRow {...props} />;
  if (!isAbsent && !isObject(value)) return <RawRow {...props} reason="Not an object, as it should be." />;
  return kind.kind === 'message' ? <NestedRow {...props} type={kind.type} /> : <AnyRow {...props} />;
});
