/** Measures of type that several steps go by, in parts of the font's size where nothing else is said. */

/**
 * From line to line of one text, at most. Programs set 1.15 to 1.2 by themselves, and 1.4 where a text is to be airy; rows of a table have their padding on top, and begin at 1.5. A little
 * is for places that were rounded.
 */
export const textSpacing = 1.45
/** Sizes are steps of 8 % at least (12 and 13 points); of half of that, or less, two are one. */
export const sameSize = 1.05
/** How far off a place may be that was meant to be another's: rounded to a point, of a font of ten. */
export const nearlyAt = 0.1
/** Between two words, at most, however a line was spaced out. */
export const widestBlank = 0.6
/** Small letters are half as high as the font's size: what is drawn in there goes through a text, not over it. */
export const smallLetter = 0.5
/** What hangs below the line, of g and p. */
export const hanging = 0.2
