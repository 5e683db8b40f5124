import type { DocumentGrammar } from './document-grammar.ts';
import { ON } from './keywords.ts';
import { AMP, AT, BRACE_L, BRACE_R, COLON, EQUALS, NAME, PAREN_L, PAREN_R, PIPE } from './tokens.ts';

const SCHEMA = Buffer.from('schema');
const SCALAR = Buffer.from('scalar');
const TYPE = Buffer.from('type');
const INTERFACE = Buffer.from('interface');
const UNION = Buffer.from('union');
const ENUM = Buffer.from('enum');
const INPUT = Buffer.from('input');
const DIRECTIVE = Buffer.from('directive');
const IMPLEMENTS = Buffer.from('implements');
const REPEATABLE = Buffer.from('repeatable');

/** Names that an enum value may not have. */
const RESERVED = ['true', 'false', 'null'].map((word) => Buffer.from(word));

const LOCATIONS = [
  'QUERY',
  'MUTATION',
  'SUBSCRIPTION',
  'FIELD',
  'FRAGMENT_DEFINITION',
  'FRAGMENT_SPREAD',
  'INLINE_FRAGMENT',
  'VARIABLE_DEFINITION',
  'FRAGMENT_VARIABLE_DEFINITION',
  'SCHEMA',
  'SCALAR',
  'OBJECT',
  'FIELD_DEFINITION',
  'ARGUMENT_DEFINITION',
  'INTERFACE',
  'UNION',
  'ENUM',
  'ENUM_VALUE',
  'INPUT_OBJECT',
  'INPUT_FIELD_DEFINITION',
  'DIRECTIVE_DEFINITION',
].map((word) => Buffer.from(word));

/**
 * Parses type system definitions (specification section 3). No server executes them, but a document may contain them
 * in addition to its operations, and whatever follows them must be found. The keyword is the current token; its description was
 * already read.
 */
export function parseTypeSystemDefinition(p: DocumentGrammar): boolean {
  if (p.acceptWord(SCHEMA)) return p.parseDirectives(true) && parseBlock(p, parseRootType);
  if (p.acceptWord(SCALAR)) return p.accept(NAME) && p.parseDirectives(true);
  if (p.acceptWord(TYPE) || p.acceptWord(INTERFACE)) {
    return p.accept(NAME) && parseInterfaces(p) && p.parseDirectives(true) && parseOptionalBlock(p, parseField);
  }
  if (p.acceptWord(UNION)) return p.accept(NAME) && p.parseDirectives(true) && parseUnionMembers(p);
  if (p.acceptWord(ENUM)) return p.accept(NAME) && p.parseDirectives(true) && parseOptionalBlock(p, parseEnumValue);
  if (p.acceptWord(INPUT)) return p.accept(NAME) && p.parseDirectives(true) && parseOptionalBlock(p, parseInputValue);
  return p.acceptWord(DIRECTIVE) && parseDirectiveDefinition(p);
}

/** Parses extensions (section 3), each of which must add something. The current token is `extend`. */
export function parseExtension(p: DocumentGrammar): boolean {
  p.tokens.next();
  if (p.acceptWord(SCHEMA))
    return parseAddition(p, () => p.parseDirectives(true) && parseOptionalBlock(p, parseRootType));
  if (p.acceptWord(SCALAR)) return p.accept(NAME) && parseAddition(p, () => p.parseDirectives(true));
  if (p.acceptWord(TYPE) || p.acceptWord(INTERFACE)) {
    const parse = () => parseInterfaces(p) && p.parseDirectives(true) && parseOptionalBlock(p, parseField);
    return p.accept(NAME) && parseAddition(p, parse);
  }
  if (p.acceptWord(UNION)) {
    return p.accept(NAME) && parseAddition(p, () => p.parseDirectives(true) && parseUnionMembers(p));
  }
  if (p.acceptWord(ENUM)) {
    return p.accept(NAME) && parseAddition(p, () => p.parseDirectives(true) && parseOptionalBlock(p, parseEnumValue));
  }
  if (p.acceptWord(INPUT)) {
    return p.accept(NAME) && parseAddition(p, () => p.parseDirectives(true) && parseOptionalBlock(p, parseInputValue));
  }
  return p.acceptWord(DIRECTIVE) && p.accept(AT) && p.accept(NAME) && parseAddition(p, () => p.parseDirectives(true));
}

/** True if `parse` succeeds and reads at least one token. */
function parseAddition(p: DocumentGrammar, parse: () => boolean): boolean {
  const { start, kind } = p.tokens;
  return parse() && (p.tokens.start !== start || p.tokens.kind !== kind);
}

/** Parses at least one item in braces. */
function parseBlock(p: DocumentGrammar, parseItem: (p: DocumentGrammar) => boolean): boolean {
  return p.accept(BRACE_L) && parseUntil(p, BRACE_R, parseItem);
}

function parseOptionalBlock(p: DocumentGrammar, parseItem: (p: DocumentGrammar) => boolean): boolean {
  return p.tokens.kind !== BRACE_L || parseBlock(p, parseItem);
}

function parseUntil(p: DocumentGrammar, close: number, parseItem: (p: DocumentGrammar) => boolean): boolean {
  do if (!parseItem(p)) return false;
  while (p.tokens.kind !== close);
  p.tokens.next();
  return true;
}

/** Parses at least one item; the separator may also precede the first. */
function parseSeparated(p: DocumentGrammar, separator: number, parseItem: (p: DocumentGrammar) => boolean): boolean {
  p.accept(separator);
  do if (!parseItem(p)) return false;
  while (p.accept(separator));
  return true;
}

function parseName(p: DocumentGrammar): boolean {
  return p.accept(NAME);
}

function parseRootType(p: DocumentGrammar): boolean {
  return p.acceptOperationType() && p.accept(COLON) && p.accept(NAME);
}

function parseInterfaces(p: DocumentGrammar): boolean {
  return !p.acceptWord(IMPLEMENTS) || parseSeparated(p, AMP, parseName);
}

function parseUnionMembers(p: DocumentGrammar): boolean {
  return !p.accept(EQUALS) || parseSeparated(p, PIPE, parseName);
}

function parseEnumValue(p: DocumentGrammar): boolean {
  p.skipDescription();
  if (RESERVED.some((word) => p.tokens.isWord(word))) return false;
  return p.accept(NAME) && p.parseDirectives(true);
}

function parseField(p: DocumentGrammar): boolean {
  p.skipDescription();
  return p.accept(NAME) && parseInputValues(p) && p.accept(COLON) && p.parseType() && p.parseDirectives(true);
}

function parseInputValues(p: DocumentGrammar): boolean {
  return !p.accept(PAREN_L) || parseUntil(p, PAREN_R, parseInputValue);
}

function parseInputValue(p: DocumentGrammar): boolean {
  p.skipDescription();
  if (!p.accept(NAME) || !p.accept(COLON) || !p.parseType()) return false;
  if (p.accept(EQUALS) && !p.parseValue(true)) return false;
  return p.parseDirectives(true);
}

function parseDirectiveDefinition(p: DocumentGrammar): boolean {
  if (!p.accept(AT) || !p.accept(NAME) || !parseInputValues(p) || !p.parseDirectives(true)) return false;
  p.acceptWord(REPEATABLE);
  return p.acceptWord(ON) && parseSeparated(p, PIPE, parseLocation);
}

function parseLocation(p: DocumentGrammar): boolean {
  return LOCATIONS.some((word) => p.tokens.isWord(word)) && p.accept(NAME);
}
