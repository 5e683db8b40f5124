import type { SettingView } from '@flotilla/contract';
import type { JsonObject } from '@flotilla/envoy-api';
import { defaultsOf } from './check.ts';
import type { SettingPlace, SettingRow } from './store.ts';
import { withoutUnknown } from './stored-value.ts';

export function toView(place: SettingPlace, row: SettingRow | undefined): SettingView {
  const { type, project, name } = place;
  const at = { key: type.key, name, project };
  if (!row) return { ...at, value: defaultsOf(type), private: [], revision: 0, updated_at: null, updated_by: null };
  return {
    ...at,
    value: withoutUnknown(type.schema, { ...defaultsOf(type), ...(row.value as JsonObject) }),
    private: toPrivate(row.secrets),
    revision: row.revision,
    updated_at: row.updated_at.toISOString(),
    updated_by: row.updated_by,
  };
}

/** The view of a project without its own document: the installation's value (`row`) with revision 0. */
export function toInheritedView(place: SettingPlace, row: SettingRow | undefined): SettingView {
  const installation = { ...place, project: null };
  return { ...toView(installation, undefined), value: toView(installation, row).value };
}

export function toPrivate(secrets: Readonly<Record<string, string>>): SettingView['private'] {
  return Object.entries(secrets).map(([path, updated_at]) => ({ path, set: true as const, updated_at }));
}
