// Functions of the language, captured when the package loads: a page that patches them later changes nothing here. The
// build has every file of the shared script use these (`bundle.mjs`), which is shorter, too.

export const { defineProperty, freeze, hasOwn, keys } = Object;
export const { from, isArray } = Array;
export const { isFinite, isInteger } = Number;
export const { parse, stringify } = JSON;
