import { Document, isCollection, isMap, isScalar, isSeq, type Node, Scalar, stringify, visit } from 'yaml';

type Plain = string | number | bigint | boolean | null;

const FLOW_WIDTH = 120;
const FLOW_WIDTH_BROKEN = 80;
const FLOW_SPECIAL = /[,[\]{}]/;

/** A value in place of a scalar, in the quotes that the scalar had. */
export function writeScalar(value: Plain, before: Scalar, inFlow: boolean): string {
  if (typeof value !== 'string') return String(value);
  const isOneLine = !/[\n\r]/.test(value);
  if (before.type === Scalar.QUOTE_SINGLE && isOneLine) return `'${value.replaceAll("'", "''")}'`;
  if (before.type === Scalar.QUOTE_DOUBLE || !isOneLine) return JSON.stringify(value);
  const plain = stringify(value, { lineWidth: 0 }).trimEnd();
  const isBare = !plain.startsWith('"') && !plain.startsWith("'");
  return isBare && inFlow && FLOW_SPECIAL.test(plain) ? JSON.stringify(value) : plain;
}

/** `key: value` or `- value` on lines of their own, `column` characters further right but for the first. */
export function writeBlock(value: unknown, column: number): string {
  const document = new Document(value);
  if (isCollection(document.contents)) putShortListsOnALine(document);
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
  return text.replaceAll('\n', `\n${' '.repeat(column)}`);
}

/** Lists of words read better as `[a, b]`. */
function putShortListsOnALine(document: Document): void {
  visit(document, {
    Collection(_, node) {
      if (isSeq(node) && node.items.every((item) => isScalar(item))) node.flow = true;
      if (isMap(node) && node.items.length === 0) node.flow = true;
    },
  });
  // The outermost is the place itself.
  if (isCollection(document.contents) && document.contents.items.length > 0) document.contents.flow = false;
}

/** A collection in braces or brackets, again in them; over several lines where it was or where it would be too long. */
export function writeFlow(node: Node, before: string, column: number): string {
  const document = new Document();
  document.contents = node as typeof document.contents;
  const lineWidth = before.includes('\n') ? FLOW_WIDTH_BROKEN : FLOW_WIDTH;
  // The words of a list that is too long for a line go on lines of their own; no word is folded.
  const whole = document
    .toString({ lineWidth: 0, flowCollectionPadding: before.startsWith('{ ') || !before.startsWith('{') })
    .trimEnd();
  const text =
    whole.length + column <= lineWidth && !before.includes('\n')
      ? whole
      : document.toString({ lineWidth, minContentWidth: 0 }).trimEnd();
  return text.replaceAll('\n', `\n${' '.repeat(column)}`);
}
