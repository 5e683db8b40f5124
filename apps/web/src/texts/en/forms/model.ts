export const model = {
  checkValue: {
    checkValue: {
      itemMustBe: 'must be a list',
      itemMustBeMap: 'must be a map',
    },
    checkKey: {
      textMustNot: 'must not be empty',
      text: (part: string | number) => `must not be there twice: ${part}`,
    },
    checkForm: {
      textMustBe: 'must be a duration such as 500ms, 5s or 2m',
      textMustBeTimeSuch: 'must be a time such as 2030-01-31T12:00:00Z',
      textMustBeNamesFields: 'must be names of fields, separated by commas',
      textMustBeJsonList: 'must be a JSON list',
      textMustBeObject: 'must be an object',
    },
    checkEnum: {
      textMustBe: 'must be one of the values',
      textMustNot: 'must not be this value: Envoy refuses it by default',
    },
    checkRules: {
      text: (constPart: string | number) => `must be ${constPart}`,
    },
    checkBounds: {
      textGreaterThan: 'greater than',
      textAtLeast: 'at least',
      textLessThan: 'less than',
      textAtMost: 'at most',
      text: (lowerText: string | number, upperText: string | number) => `must be ${lowerText} or ${upperText}`,
      textMustBe: (lowerText: string | number) => `must be ${lowerText}`,
      textMustBe2: (upperText: string | number) => `must be ${upperText}`,
      textMustBe3: (show: string | number) => `must be ${show}`,
      textMustBeOne: (names: string | number) => `must be one of ${names}`,
      textMustNot: (show: string | number) => `must not be ${show}`,
    },
    checkText: {
      textAtLeast: 'at least',
      textAtMost: 'at most',
      textMustNot: 'must not be empty',
      text: (kind: string | number, limit: string | number, unit: string | number) =>
        `must be ${kind} ${limit} ${unit} long`,
      textMustBe: (part: string | number) => `must be ${part}`,
      textMustStart: (part: string | number) => `must start with ${part}`,
      textMustEnd: (part: string | number) => `must end with ${part}`,
      textMustContain: (part: string | number) => `must contain ${part}`,
      textMustMatch: (pattern: string | number) => `must match ${pattern}`,
      textMustBeNameHeader: 'must be the name of a header',
      textMustBeFitHeader: 'must be fit for a header',
      textMustBeOne: (names: string | number) => `must be one of ${names}`,
      textMustNotBe: (part: string | number) => `must not be ${part}`,
    },
    checkItems: {
      text: (twice: string | number) => `must not hold ${twice} twice`,
    },
    checkSize: {
      text: (min: string | number, unit: string | number, part: string | number) =>
        `must have at least ${min} ${unit}${part}`,
      textMustAt: (max: string | number, unit: string | number, part: string | number) =>
        `must have at most ${max} ${unit}${part}`,
    },
  },
  describeRules: {
    describeRules: {
      text: (names: string | number) => `one of ${names}`,
      textMoreThan: 'more than',
      textAtLeast: 'at least',
      textLessThan: 'less than',
      textAtMost: 'at most',
    },
    describeSize: {
      text: (plural: string | number) => `at least ${plural}`,
      textAtMost: (plural: string | number) => `at most ${plural}`,
      textNoneTwice: 'none twice',
    },
    describeText: {
      text: (min: string | number) => `at least ${min} characters`,
      textAtMost: (max: string | number) => `at most ${max} characters`,
      textStarts: (prefix: string | number) => `starts with ${prefix}`,
      textOne: (names: string | number) => `one of ${names}`,
      textNameHeader: 'the name of a header',
      textUri: 'a URI',
      textHostName: 'a host name',
      textIpAddress: 'an IP address',
    },
  },
  scalar: {
    textMustBe: 'must be text',
    textMustBeTrueFalse: 'must be true or false',
    textMustBeBase: 'must be base64',
    textMustBeNumber: 'must be a number',
    textMustBeWholeNumber: 'must be a whole number',
    text: (part: string | number) => `must be at least ${part}`,
    textMustBeAtMost: (part: string | number) => `must be at most ${part}`,
  },
  summary: {
    text: (count: string | number) => `${count} items`,
    textMore: (first: string | number, part: string | number) => `${first} and ${part} more`,
  },
};
