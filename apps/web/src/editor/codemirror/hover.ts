import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import type { SchemaSource } from '../../forms/schema-source.ts';
import { READ_MAX } from '../document/read.ts';
import type { Language } from '../document/tree.ts';
import { hoverAt } from '../schema/hover.ts';
import { withTypes } from '../schema/types.ts';
import { treeOf } from './analysis.ts';
import { buildCard } from './card.ts';

export function schemaHover({
  source,
  type,
  language,
}: {
  source: SchemaSource;
  type: string;
  language: Language;
}): Extension {
  return hoverTooltip(
    async (view, offset) => {
      const { doc } = view.state;
      if (doc.length > READ_MAX[language]) return null;
      const card = await withTypes(source, (types) => hoverAt(type, treeOf(doc, language), offset, types)).catch(
        () => undefined,
      );
      if (!card) return null;
      return { pos: card.from, end: card.to, above: true, create: () => ({ dom: buildCard(card) }) };
    },
    { hoverTime: 350, hideOnChange: true },
  );
}
