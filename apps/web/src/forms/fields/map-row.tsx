import { IconPlus } from '@tabler/icons-react';
import buttons from '../buttons.module.css';
import { useForm, useIsOpen } from '../form-context.ts';
import { emptyAny } from '../model/any.ts';
import { initialValue } from '../model/initial-value.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { toLabel } from '../model/names.ts';
import { joinPath } from '../model/path.ts';
import { itemField, keyField } from '../model/rules.ts';
import { kindOf } from '../model/well-known.ts';
import { CollectionGroup } from './collection-group.tsx';
import groups from './groups.module.css';
import { MapKey } from './map-key.tsx';
import { pickExtension } from './pick-extension.ts';
import { RemoveButton } from './remove-button.tsx';
import type { RowProps } from './row-props.ts';
import { texts } from './texts.tsx';
import { useRow } from './use-row.ts';

const words = texts.mapRow;

const EMPTY: JsonObject = {};

/** Renders a map as pairs of key and value. */
export function MapRow(props: RowProps) {
  const isOpen = useIsOpen(props.at);
  const row = useRow(props);
  const map = isObject(props.value) ? props.value : EMPTY;
  const keys = Object.keys(map);
  const isEmpty = keys.length === 0;
  const count = `${keys.length} ${keys.length === 1 ? 'pair' : 'pairs'}`;
  return (
    <CollectionGroup
      props={props}
      row={row}
      isOpen={isOpen}
      isEmpty={isEmpty}
      summary={isEmpty ? words.row.none : isOpen ? count : keys.join(', ')}
      codeSummary={!isOpen && !isEmpty}
    >
      <MapPairs props={props} map={map} secret={row.secret} />
    </CollectionGroup>
  );
}

interface MapPairsProps {
  /** Props of the map's row. */
  readonly props: RowProps;
  readonly map: JsonObject;
  readonly secret: boolean;
}

/** Renders the pairs of a map, and the button that adds one. */
function MapPairs({ props, map, secret }: MapPairsProps) {
  const { field, at } = props;
  const { state, readOnly, Row } = useForm();
  const add = useNewPair(props);
  const keys = Object.keys(map);
  const shared = { field: itemField(field), parentAt: at, slot: props.slot ?? field.slot, secret };
  return (
    <>
      {keys.map((key, index) => (
        // A renamed key is still the same pair.
        // biome-ignore lint/suspicious/noArrayIndexKey: pairs keep their position
        <div key={index} className={groups.pair} data-row="pair" data-reveals="">
          <MapKey name={key} at={at} field={keyField(field)} readOnly={readOnly} />
          <div className={groups.pairValue}>
            <Row {...shared} value={map[key]} at={joinPath(at, key)} label={words.row.value} mapKey={key} />
          </div>
          {!readOnly && (
            <RemoveButton
              label={words.row.removePair(key === '' ? words.row.pair : key)}
              onRemove={() => state.remove(joinPath(at, key))}
            />
          )}
        </div>
      ))}
      {!readOnly && (
        <button
          type="button"
          className={buttons.addButton}
          disabled={Object.hasOwn(map, '')}
          onClick={(event) => add(event.currentTarget)}
        >
          <IconPlus size={14} aria-hidden />
          {words.row.add(keys.length === 0 ? `to ${props.label ?? toLabel(field.name)}` : 'another')}
        </button>
      )}
    </>
  );
}

/** Adds a pair to a map: with an empty key, or, for an extension, with what the user picks. */
function useNewPair({ field, at, slot = field.slot }: RowProps) {
  const form = useForm();
  const { state } = form;
  const item = itemField(field);
  const insert = (key: string, fresh = initialValue(item)) => {
    const pairAt = joinPath(at, key);
    if (state.get(pairAt) === undefined) state.set(pairAt, fresh);
    state.requestFocus(pairAt);
  };
  return (anchor: HTMLElement) => {
    if (!slot || kindOf(item.value).kind !== 'any') {
      insert('');
      return;
    }
    pickExtension(form, {
      anchor,
      slot,
      selected: undefined,
      allowReference: false,
      onPick: (picked) => {
        if (picked.kind === 'extension') insert(picked.extension.name, emptyAny(picked.extension.type));
      },
    });
  };
}
