import type { ComponentType } from 'react';
import type { SettingKindRef } from '../../api/index.ts';
import { NamedPage } from './named-page.tsx';
import { SinglePage } from './single-page.tsx';

/** Creates the page of a kind of settings from its schema. */
export function createDocumentPage(kind: SettingKindRef): ComponentType {
  return kind.isNamed ? () => <NamedPage kind={kind} /> : () => <SinglePage kind={kind} />;
}
