/**
 * PostgreSQL keeps any character in a text but U+0000, and what is stored has to come back as it
 * was. So that one is written as two noncharacters, which no text has any use for; where a text has
 * them it is written so that they come back too. Nothing else is changed, whole characters stay whole,
 * so that equality and beginnings of texts are what they were.
 */
const MARK = '\uFDD0'
const TO_WRITE = /[\0\uFDD0]/
const ZERO = `${MARK}\uFDD1`
const ITSELF = `${MARK}\uFDD2`

export const encodeText = (text: string): string =>
  TO_WRITE.test(text)
    ? text.replaceAll(/[\0\uFDD0]/g, (found) => (found === MARK ? ITSELF : ZERO))
    : text

export const decodeText = (text: string): string =>
  text.includes(MARK)
    ? text.replaceAll(/\uFDD0[\uFDD1\uFDD2]/g, (found) => (found === ITSELF ? MARK : '\0'))
    : text
