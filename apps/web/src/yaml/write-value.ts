import { Document, isCollection, isMap, isScalar, isSeq, type Node, Scalar, stringify, visit } from 'yaml';

type Plain = string | number | bigint | boolean | null;

const FLOW_WIDTH = 120;
const FLOW_WIDTH_BROKEN = 80;
const FLOW_SPECIAL = /[,[\]{}]/;

/** Writes a value in place of a scalar, with the quotes that the scalar had. */
export function writeScalar(value: Plain, before: Scalar, inFlow: boolean): string {
  if (typeof value !== 'string') return String(value);
  const isOneLine = !/[\n\r]/.test(value);
  if (before.type === Scalar.QUOTE_SINGLE && isOneLine) return `'${value.replaceAll("'", "''")}'`;
  if (before.type === Scalar.QUOTE_DOUBLE || !isOneLine) return JSON.stringify(value);
  const plain = stringify(value, { lineWidth: 0 }).trimEnd();
  const isBare = !plain.startsWith('"') && !plain.startsWith("'");
  return isBare && inFlow && FLOW_SPECIAL.test(plain) ? JSON.stringify(value) : plain;
}

/** Writes `key: value` or `- value` on lines of their own, with all lines but the first indented by `column`. */
export function writeBlock(value: unknown, column: number): string {
  const document = new Document(value);
  if (isCollection(document.contents)) putShortListsOnALine(document);
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
  return text.replaceAll('\n', `\n${' '.repeat(column)}`);
}

/** Writes lists of words on one line: `[a, b]`. */
function putShortListsOnALine(document: Document): void {
  visit(document, {
    Collection(_, node) {
      if (isSeq(node) && node.items.every((item) => isScalar(item))) node.flow = true;
      if (isMap(node) && node.items.length === 0) node.flow = true;
    },
  });
  // The outermost collection is the place itself.
  if (isCollection(document.contents) && document.contents.items.length > 0) document.contents.flow = false;
}

/** Writes a collection in braces or brackets again, over several lines if it was or if it would be too long. */
export function writeFlow(node: Node, before: string, column: number): string {
  const document = new Document();
  document.contents = node as typeof document.contents;
  const lineWidth = before.includes('\n') ? FLOW_WIDTH_BROKEN : FLOW_WIDTH;
  // The words of a list that is too long for a line go on separate lines; no word is folded.
  const whole = document
    .toString({ lineWidth: 0, flowCollectionPadding: before.startsWith('{ ') || !before.startsWith('{') })
    .trimEnd();
  const text =
    whole.length + column <= lineWidth && !before.includes('\n')
      ? whole
      : document.toString({ lineWidth, minContentWidth: 0 }).trimEnd();
  return text.replaceAll('\n', `\n${' '.repeat(column)}`);
}
