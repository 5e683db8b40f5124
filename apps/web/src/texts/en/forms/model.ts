export const model = {
  checkValue: {
    checkValue: {
      list: 'must be a list',
      map: 'must be a map',
    },
    checkKey: {
      empty: 'must not be empty',
      twice: (key: string | number) => `must not be there twice: ${key}`,
    },
    checkForm: {
      duration: 'must be a duration such as 500ms, 5s or 2m',
      time: 'must be a time such as 2030-01-31T12:00:00Z',
      fieldNames: 'must be names of fields, separated by commas',
      jsonList: 'must be a JSON list',
      object: 'must be an object',
    },
    checkEnum: {
      oneOfValues: 'must be one of the values',
      disallowed: 'must not be this value: Envoy refuses it by default',
    },
    checkRules: {
      const: (constPart: string | number) => `must be ${constPart}`,
    },
    checkBounds: {
      greaterThan: 'greater than',
      atLeast: 'at least',
      lessThan: 'less than',
      atMost: 'at most',
      between: (lowerText: string | number, upperText: string | number) => `must be ${lowerText} or ${upperText}`,
      above: (lowerText: string | number) => `must be ${lowerText}`,
      below: (upperText: string | number) => `must be ${upperText}`,
      const: (show: string | number) => `must be ${show}`,
      oneOf: (names: string | number) => `must be one of ${names}`,
      notIn: (show: string | number) => `must not be ${show}`,
    },
    checkText: {
      atLeast: 'at least',
      atMost: 'at most',
      length: (kind: string | number, limit: string | number, unit: string | number) =>
        `must be ${kind} ${limit} ${unit} long`,
      const: (value: string | number) => `must be ${value}`,
      prefix: (prefix: string | number) => `must start with ${prefix}`,
      suffix: (suffix: string | number) => `must end with ${suffix}`,
      contains: (value: string | number) => `must contain ${value}`,
      pattern: (pattern: string | number) => `must match ${pattern}`,
      headerName: 'must be the name of a header',
      headerValue: 'must be fit for a header',
      notIn: (value: string | number) => `must not be ${value}`,
    },
    checkItems: {
      twice: (twice: string | number) => `must not hold ${twice} twice`,
    },
    checkSize: {
      atLeast: (min: string | number, unit: string | number, part: string | number) =>
        `must have at least ${min} ${unit}${part}`,
      atMost: (max: string | number, unit: string | number, part: string | number) =>
        `must have at most ${max} ${unit}${part}`,
    },
  },
  describeRules: {
    bounds: {
      oneOf: (names: string | number) => `one of ${names}`,
      moreThan: 'more than',
      atLeast: 'at least',
      lessThan: 'less than',
      atMost: 'at most',
    },
    size: {
      atLeast: (plural: string | number) => `at least ${plural}`,
      atMost: (plural: string | number) => `at most ${plural}`,
      noneTwice: 'none twice',
    },
    text: {
      atLeast: (min: string | number) => `at least ${min} characters`,
      atMost: (max: string | number) => `at most ${max} characters`,
      prefix: (prefix: string | number) => `starts with ${prefix}`,
      oneOf: (names: string | number) => `one of ${names}`,
      headerName: 'the name of a header',
      uri: 'a URI',
      hostname: 'a host name',
      ip: 'an IP address',
    },
  },
  scalar: {
    text: 'must be text',
    bool: 'must be true or false',
    base64: 'must be base64',
    number: 'must be a number',
    wholeNumber: 'must be a whole number',
    atLeast: (min: string | number) => `must be at least ${min}`,
    atMost: (max: string | number) => `must be at most ${max}`,
  },
  summary: {
    items: (count: string | number) => `${count} items`,
    andMore: (first: string | number, rest: string | number) => `${first} and ${rest} more`,
  },
};
