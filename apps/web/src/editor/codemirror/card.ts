import type { HoverCard } from '../schema/hover.ts';
import { texts } from './texts.ts';

const words = texts.card;

/** Builds the card of a field for hovers and completions. Plain DOM, because both are outside React. */
export function buildCard(card: Omit<HoverCard, 'from' | 'to'>): HTMLElement {
  const root = element('div', 'cm-card');
  const head = element('div', '');
  head.append(element('span', 'cm-card-title', card.title), ' ', element('span', 'cm-card-type', card.type));
  root.append(head);
  if (card.deprecated !== undefined) root.append(element('div', 'cm-card-deprecated', card.deprecated));
  if (card.hint !== undefined) root.append(element('div', '', card.hint));
  if (card.rules.length > 0) {
    const rules = document.createElement('ul');
    rules.append(...card.rules.map((rule) => element('li', '', rule)));
    root.append(rules);
  }
  if (card.docsUrl?.startsWith('https://')) {
    const link = document.createElement('a');
    link.href = card.docsUrl;
    link.target = '_blank';
    link.rel = 'noreferrer';
    link.textContent = words.documentation;
    root.append(link);
  }
  return root;
}

function element(name: string, className: string, text?: string): HTMLElement {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}
